import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { badge } from '../../components/blocks.ts';
import { pager, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import type { PageCall } from '../../page.ts';
import { path, url } from '../../url.ts';
import { withoutPrograms } from './program-choice.ts';
import { myPayoutSaid, unpayableText } from './said.ts';

type Payment = OperationSuccess<'listNextPayments'>['data'][number];

/** Said by the payout itself, in place of a reason that only names it. */
const IN_FLIGHT = 'PAYOUT_IN_FLIGHT';

const whenOf = ({ reason, scheduledAt, detailsCooldownUntil, latestPayout }: Payment, call: PageCall): Html | false => {
  const { nextPayments } = call.texts.portal;
  if (reason === IN_FLIGHT && latestPayout !== null) return false;
  if (reason === 'DETAILS_JUST_CHANGED' && detailsCooldownUntil !== null)
    return html`${unpayableText(reason, call.language)} ${call.format.date(detailsCooldownUntil)}.`;
  if (reason !== null) return html`${unpayableText(reason, call.language)}`;
  return scheduledAt === null ? html`${nextPayments.byHand}` : html`${nextPayments.on} ${call.format.date(scheduledAt)}`;
};

/** The newest payout, unless it was paid: what it waits for, or what went wrong. */
const latestOf = ({ latestPayout, currency }: Payment, call: PageCall): Html | false => {
  if (latestPayout === null) return false;
  const { label, tone, text, next } = myPayoutSaid(latestPayout.situation, call.language);
  const amount = call.texts.portal.nextPayments.latest(call.format.money(latestPayout.amount, currency));
  return html`<p><a href="${url(path('/portal/payouts/{id}', { id: latestPayout.id }))}">${amount}</a> ${badge(label, tone)} ${text}${next !== null && html` ${next}`}</p>`;
};

const pendingOf = ({ pending, onHold, currency, nextReleaseAt }: Payment, { texts, format }: PageCall): Html => {
  const { nextPayments } = texts.portal;
  const inHoldPeriod = pending - onHold;
  return html`${
    inHoldPeriod > 0 &&
    html`<p class="hint">${nextPayments.inHoldPeriod(format.money(inHoldPeriod, currency))}${
      nextReleaseAt !== null && html` ${nextPayments.nextRelease} ${format.date(nextReleaseAt)}.`
    }</p>`
  }${onHold > 0 && html`<p class="hint">${nextPayments.onHold(format.money(onHold, currency))}</p>`}`;
};

type Payments = Pick<OperationSuccess<'listNextPayments'>, 'data' | 'meta'>;

export const listNextPayments = (call: PageCall<'listNextPayments'>): Promise<Payments> =>
  call.call('listNextPayments', { query: queryOf(call, ['cursor', 'limit']) });

/** What each program pays next and when, or why not yet. */
export const nextPayments = (call: PageCall, { data, meta }: Payments): Html => {
  const { texts, format } = call;
  const { portal } = texts;
  return html`${table({
    caption: portal.nextPayment,
    rows: data,
    empty: withoutPrograms(call),
    columns: [
      { head: portal.program, cell: ({ programName }) => nameOf(programName) },
      { head: portal.payable, align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
      {
        head: portal.nextPayments.when,
        cell: (payment) => html`<div>${whenOf(payment, call)}${latestOf(payment, call)}${pendingOf(payment, call)}</div>`,
      },
      { head: portal.frequency, cell: ({ payoutFrequency }) => portal.frequencies[payoutFrequency] },
      {
        head: portal.minimum,
        align: 'end',
        cell: ({ payoutThreshold, currency }) => format.money(payoutThreshold, currency),
      },
    ],
  })}${data.length > 0 && pager(call, meta, data.length)}`;
};
