import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { badge, buttonLink, emptyState, notice } from '../../components/blocks.ts';
import { checkboxes, select } from '../../components/choices.ts';
import { text } from '../../components/fields.ts';
import { filters, pager, table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { attributes, type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { path, url } from '../../url.ts';
import { payTabs } from './pay-tabs.ts';
import { isUnfinished, LEFT_OUT_TEXTS, runName, runStateOf, totalText } from './run-state.ts';

type Pending = OperationSuccess<'listPendingPayouts'>['data'][number];

const METHODS = [
  { value: 'paypal', label: 'PayPal' },
  { value: 'bank_transfer', label: 'Bank transfer' },
] as const;

/** Why the next run does not pay an affiliate; null when it does. */
const whyNotOf = (row: Pending): string | null => {
  if (row.blocked) return LEFT_OUT_TEXTS.AFFILIATE_BLOCKED;
  if (row.payoutsPaused) return LEFT_OUT_TEXTS.PAYOUTS_PAUSED;
  if (row.pendingAmount === 0)
    return row.held.dispute > 0 || row.heldUnapproved.dispute > 0 ? LEFT_OUT_TEXTS.HELD_BY_DISPUTE : LEFT_OUT_TEXTS.HELD_BY_FLAG;
  if (!row.hasPayoutMethod) return LEFT_OUT_TEXTS.PAYOUT_DETAILS_MISSING;
  if (row.detailsRejected !== null) return LEFT_OUT_TEXTS.DETAILS_REJECTED;
  if (row.detailsCooldownUntil !== null) return LEFT_OUT_TEXTS.DETAILS_JUST_CHANGED;
  return row.meetsThreshold ? null : LEFT_OUT_TEXTS.BELOW_THRESHOLD;
};

const stateCell = (row: Pending): Html => {
  const reason = whyNotOf(row);
  return reason === null ? badge('Can be paid', 'good') : html`<span>${badge('Not yet', 'warning')} ${reason}</span>`;
};

const owedView = (call: PageCall, rows: readonly Pending[], chosen: ReadonlySet<string> | null): Html =>
  table({
    caption: 'Who is owed what',
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
        head: 'Held',
        align: 'end',
        cell: ({ heldAmount, currency }) => (heldAmount === 0 ? '–' : call.format.money(heldAmount, currency)),
      },
      { head: 'Smallest payout', align: 'end', cell: ({ threshold, currency }) => call.format.money(threshold, currency) },
      { head: 'Next run', cell: stateCell },
    ],
    empty: emptyState({
      icon: 'money',
      title: 'Nobody is owed anything now',
      text: 'Commissions are payable once they are approved and their hold period has ended. Unpaid ones then appear here.',
    }),
  });

/** Chosen on another page of the list, or paid since. Left out, a run of some would become one of everybody. */
const elsewhereView = (call: PageCall, rows: readonly Pending[], chosen: ReadonlySet<string>): Html | false => {
  const others = [...chosen].filter((id) => !rows.some(({ affiliateId }) => affiliateId === id));
  return (
    others.length > 0 &&
    html`${others.map((id) => html`<input type="hidden" name="affiliateIds" value="${id}">`)}<p class="note">And ${counted(others.length, 'chosen affiliate', call)} of other pages.</p>`
  );
};

const unfinishedView = (call: PageCall, runs: OperationSuccess<'listPayoutRuns'>['data']): Html | false =>
  runs.length > 0 &&
  notice(
    html`<ul>${runs.map((run) => html`<li><a href="${url(path('/console/pay/runs/{id}', { id: run.id }))}">${nameOf(runName(run, call))}</a>: ${runStateOf(run).label}, ${totalText(run.total, call)} to ${counted(run.items, 'affiliate', call)}</li>`)}</ul>`,
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
        programId: select({ label: 'Program', hint: 'Left open: all programs' }),
        paidBy: select({ label: 'Paid by', options: METHODS, path: 'method' }),
        name: text({ label: 'Your name for the run', maxLength: 100 }),
      },
      uses: ['createPayoutRun'],
      async submit(call, { affiliateIds, paidBy: method, ...body }) {
        const some = affiliateIds.length > 0 ? { affiliateIds } : {};
        const { data } = await call.call('createPayoutRun', { body: { ...body, method, ...some } });
        return redirect(path('/console/pay/runs/{id}', { id: data.id }), { flash: 'A draft: nothing is promised yet' });
      },
    }),
  },
  async view(call, { draft }) {
    const [owed, runs, programs] = await Promise.all([
      call.call('listPendingPayouts', { query: queryOf(call, ['programId', 'cursor', 'limit']) }),
      call.call('listPayoutRuns', { query: { limit: '20' } }),
      call.allows('listPrograms') ? call.call('listPrograms', { query: { limit: '100' } }) : null,
    ]);
    const options = (programs?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
    const canDraft = draft.isAllowed && owed.data.length > 0;
    const chosen = new Set(draft.sentTexts('affiliateIds'));
    const list = owedView(call, owed.data, canDraft ? chosen : null);
    const programId = call.query['programId'];
    const fields = html`<div class="filters">${draft.field('programId', { options })}${draft.field('paidBy')}${draft.field('name')}</div>${elsewhereView(call, owed.data, chosen)}<p class="hint">Choose affiliates above, or none to draft a run of everybody.</p>`;
    return {
      title: 'Pay',
      content: html`${payTabs(call)}${unfinishedView(call, runs.data.filter(isUnfinished))}${options.length > 1 && filters(call, [{ name: 'programId', label: 'Program', options }])}${
        canDraft || draft.isSent
          ? html`<div>${draft.fill({ programId }).render({ submit: 'Draft a run', content: html`${list}${pager(call, owed.meta, owed.data.length)}${fields}` })}</div>`
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
    const statuses = ['draft', 'awaiting_approval', 'running', 'paused', 'completed', 'cancelled'] as const;
    const options = statuses.map((status) => ({
      value: status,
      label: runStateOf({ status, cancelReason: null } as never).label,
    }));
    return {
      title: 'Runs',
      content: html`${payTabs(call)}${filters(call, [{ name: 'status', label: 'State', options }])}${table({
        caption: 'Payout runs',
        rows: data,
        columns: [
          {
            head: 'Run',
            cell: (run) =>
              html`<a href="${url(path('/console/pay/runs/{id}', { id: run.id }))}">${nameOf(runName(run, call))}</a>`,
          },
          { head: 'State', cell: (run) => badge(runStateOf(run).label, runStateOf(run).tone) },
          { head: 'Total', align: 'end', cell: ({ total }) => totalText(total, call) },
          { head: 'Affiliates', align: 'end', cell: ({ items }) => call.format.number(items) },
          { head: 'Drafted', cell: ({ createdAt }) => call.format.time(createdAt) },
          { head: 'Finished', cell: ({ finishedAt }) => (finishedAt === null ? '–' : call.format.time(finishedAt)) },
        ],
        empty: emptyState({
          icon: 'clock',
          title: 'No runs',
          text: 'Draft one to see who is owed what.',
          action: buttonLink('/console/pay', 'To Pay', 'primary'),
        }),
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});
