import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { pager, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import type { PageCall } from '../../page.ts';
import { withoutPrograms } from './program-choice.ts';

type Payment = OperationSuccess<'listNextPayments'>['data'][number];

const whenOf = ({ reason, scheduledAt, detailsCooldownUntil }: Payment, { texts, format }: PageCall): Html => {
  const { nextPayments } = texts.portal;
  if (reason === 'DETAILS_JUST_CHANGED' && detailsCooldownUntil !== null)
    return html`${nextPayments.why[reason]} ${format.date(detailsCooldownUntil)}.`;
  if (reason !== null) return html`${nextPayments.why[reason]}`;
  return scheduledAt === null ? html`${nextPayments.byHand}` : html`${nextPayments.on} ${format.date(scheduledAt)}`;
};

const heldOf = ({ pending, currency, nextReleaseAt }: Payment, { texts, format }: PageCall): Html | false => {
  const { nextPayments } = texts.portal;
  return (
    pending > 0 &&
    html`<p class="hint">${nextPayments.held(format.money(pending, currency))}${
      nextReleaseAt !== null && html` ${nextPayments.nextRelease} ${format.date(nextReleaseAt)}.`
    }</p>`
  );
};

type Payments = Pick<OperationSuccess<'listNextPayments'>, 'data' | 'meta'>;

export const listNextPayments = (call: PageCall<'listNextPayments'>): Promise<Payments> =>
  call.call('listNextPayments', { query: queryOf(call, ['cursor', 'limit']) });

/** Of each program: what is paid next and when, or why not yet. */
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
      { head: portal.nextPayments.when, cell: (payment) => html`<div>${whenOf(payment, call)}${heldOf(payment, call)}</div>` },
      { head: portal.frequency, cell: ({ payoutFrequency }) => portal.frequencies[payoutFrequency] },
      {
        head: portal.minimum,
        align: 'end',
        cell: ({ payoutThreshold, currency }) => format.money(payoutThreshold, currency),
      },
    ],
  })}${data.length > 0 && pager(call, meta, data.length)}`;
};
