import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { PAYOUT_RUN_STATUSES } from '../../../contracts/payout-runs.ts';
import { runForMerchant } from '../../../texts/payout-run.merchant.en.ts';
import { amountLines, withAmount } from '../../amounts.ts';
import { badge, buttonLink, emptyState, notice } from '../../components/blocks.ts';
import { checkboxes, select } from '../../components/choices.ts';
import { text } from '../../components/fields.ts';
import { filters, pager, table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { attributes, type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { reasonText, runSaid } from '../../said.ts';
import { path, url } from '../../url.ts';
import { payTabs } from './pay-tabs.ts';
import { isUnfinished, runName } from './run-totals.ts';

type Pending = OperationSuccess<'listPendingPayouts'>['data'][number];

const READY = [{ value: 'true', label: 'Ready to pay' }] as const;

const METHODS = [
  { value: 'paypal', label: 'PayPal' },
  { value: 'bank_transfer', label: 'Bank transfer' },
] as const;

const stateCell = ({ reason }: Pending): Html =>
  reason === null ? badge('Can be paid', 'good') : html`<span>${badge('Not yet', 'warning')} ${reasonText(reason)}</span>`;

/** What a flag or a dispute holds, approved or not. */
const onHoldOf = ({ held, heldUnapproved }: Pending): number =>
  held.dispute + held.flag + heldUnapproved.dispute + heldUnapproved.flag;

const owedView = (call: PageCall, rows: readonly Pending[], chosen: ReadonlySet<string> | null): Html =>
  table({
    caption: 'Balances of affiliates',
    rows,
    columns: [
      {
        head: 'Affiliate',
        cell: ({ affiliateId, name, code, email }) => {
          const who = html`<span>${nameOf(name ?? email)} <span class="note">${code}</span></span>`;
          if (chosen === null) return who;
          const id = `owed-${affiliateId}`;
          return html`<span class="box"><input type="checkbox" id="${id}" name="affiliateIds" value="${affiliateId}"${attributes({ checked: chosen.has(affiliateId) })}><label for="${id}">${who}</label></span>`;
        },
      },
      { head: 'Program', cell: ({ programName }) => nameOf(programName) },
      { head: 'Payable', align: 'end', cell: ({ pendingAmount, currency }) => call.format.money(pendingAmount, currency) },
      {
        head: 'On hold',
        align: 'end',
        cell: (row) => (onHoldOf(row) === 0 ? '–' : call.format.money(onHoldOf(row), row.currency)),
      },
      { head: 'Minimum payout', align: 'end', cell: ({ threshold, currency }) => call.format.money(threshold, currency) },
      { head: 'Next payout run', cell: stateCell },
    ],
    empty: emptyState({
      icon: 'money',
      title: call.query['ready'] === undefined ? 'No balances to pay' : 'Nobody can be paid right now',
      text: 'Commissions become payable when their hold period ends. Unpaid ones appear here.',
    }),
  });

/** Affiliates selected on another page of the list, or paid since. Without them, a run of some would become one of everybody. */
const elsewhereView = (call: PageCall, rows: readonly Pending[], chosen: ReadonlySet<string>): Html | false => {
  const others = [...chosen].filter((id) => !rows.some(({ affiliateId }) => affiliateId === id));
  return (
    others.length > 0 &&
    html`${others.map((id) => html`<input type="hidden" name="affiliateIds" value="${id}">`)}<p class="note">And ${counted(others.length, 'selected affiliate', call)} on other pages.</p>`
  );
};

const unfinishedView = (call: PageCall, runs: OperationSuccess<'listPayoutRuns'>['data']): Html | false =>
  runs.length > 0 &&
  notice(
    html`<ul>${runs.map((run) => html`<li><a href="${url(path('/console/pay/runs/{id}', { id: run.id }))}">${nameOf(runName(run, call))}</a>: ${runSaid(run).label}, ${withAmount(run.total, counted(run.items, 'affiliate', call), call)}</li>`)}</ul>`,
    'warning',
  );

export const payPage = page({
  path: '/console/pay',
  audience: 'merchant',
  navigation: { label: 'Pay', icon: 'money' },
  uses: ['listPendingPayouts', 'listPayoutRuns'],
  mayUse: ['listPrograms'],
  forms: {
    draft: form({
      fields: {
        affiliateIds: checkboxes({ label: 'Affiliates' }),
        programId: select({ label: 'Program', hint: 'Leave blank for all programs' }),
        paidBy: select({ label: 'Payout method', options: METHODS, path: 'method' }),
        name: text({ label: 'Name of the payout run', maxLength: 100 }),
      },
      uses: ['createPayoutRun'],
      async submit(call, { affiliateIds, paidBy: method, ...body }) {
        const some = affiliateIds.length > 0 ? { affiliateIds } : {};
        const { data } = await call.call('createPayoutRun', { body: { ...body, method, ...some } });
        return redirect(path('/console/pay/runs/{id}', { id: data.id }), { flash: 'This is a draft. Nothing is sent yet.' });
      },
    }),
  },
  async view(call, { draft }) {
    const [owed, runs, programs] = await Promise.all([
      call.call('listPendingPayouts', { query: queryOf(call, ['programId', 'ready', 'cursor', 'limit']) }),
      call.call('listPayoutRuns', { query: { limit: '20' } }),
      call.allows('listPrograms') ? call.call('listPrograms', { query: { limit: '100' } }) : null,
    ]);
    const options = (programs?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
    const canDraft = draft.isAllowed && owed.data.length > 0;
    const chosen = new Set(draft.sentTexts('affiliateIds'));
    const list = owedView(call, owed.data, canDraft ? chosen : null);
    const programId = call.query['programId'];
    const fields = html`<div class="filters">${draft.field('programId', { options })}${draft.field('paidBy')}${draft.field('name')}</div>${elsewhereView(call, owed.data, chosen)}<p class="hint">Select affiliates above, or select none to draft a payout run for everyone.</p>`;
    return {
      title: 'Pay',
      content: html`${payTabs(call)}${unfinishedView(call, runs.data.filter(isUnfinished))}${filters(call, [...(options.length > 1 ? [{ name: 'programId', label: 'Program', options }] : []), { name: 'ready', label: 'Show', options: READY }])}${
        canDraft || draft.isSent
          ? html`<div>${draft.fill({ programId }).render({ submit: 'Draft payout run', content: html`${list}${pager(call, owed.meta, owed.data.length)}${fields}` })}</div>`
          : html`${list}${owed.data.length > 0 && pager(call, owed.meta, owed.data.length)}`
      }`,
    };
  },
});

export const runsPage = page({
  path: '/console/pay/runs',
  audience: 'merchant',
  below: '/console/pay',
  uses: ['listPayoutRuns'],
  async view(call) {
    const { data, meta } = await call.call('listPayoutRuns', {
      query: queryOf(call, ['status', 'programId', 'cursor', 'limit']),
    });
    const options = PAYOUT_RUN_STATUSES.map((status) => ({
      value: status,
      label: runForMerchant.states[status === 'awaiting_approval' ? 'to_approve' : status].label,
    }));
    return {
      title: 'Payout runs',
      content: html`${payTabs(call)}${filters(call, [{ name: 'status', label: 'Status', options }])}${table({
        caption: 'Payout runs',
        rows: data,
        columns: [
          {
            head: 'Payout run',
            cell: (run) =>
              html`<a href="${url(path('/console/pay/runs/{id}', { id: run.id }))}">${nameOf(runName(run, call))}</a>`,
          },
          { head: 'Status', cell: (run) => badge(runSaid(run).label, runSaid(run).tone) },
          { head: 'Total', align: 'end', cell: ({ total }) => amountLines(total, call) },
          { head: 'Affiliates', align: 'end', cell: ({ items }) => call.format.number(items) },
          { head: 'Drafted', cell: ({ createdAt }) => call.format.time(createdAt) },
          { head: 'Finished', cell: ({ finishedAt }) => (finishedAt === null ? '–' : call.format.time(finishedAt)) },
        ],
        empty: emptyState({
          icon: 'clock',
          title: 'No payout runs yet',
          text: 'Draft one to see who gets paid.',
          action: buttonLink('/console/pay', 'Go to Pay', 'primary'),
        }),
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});
