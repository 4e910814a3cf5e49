import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { PAYOUT_RUN_STATUSES } from '../../../contracts/payout-runs.ts';
import { runForMerchant } from '../../../texts/payout-run.merchant.en.ts';
import { amountLines, withAmount } from '../../amounts.ts';
import { badge, buttonLink, notice } from '../../components/blocks.ts';
import { checkboxes, select } from '../../components/choices.ts';
import { text } from '../../components/fields.ts';
import { counted } from '../../counted.ts';
import { attributes, type Html, html } from '../../html.ts';
import { columnsForm, list, SIZES, toolsOf } from '../../list.ts';
import { listPage } from '../../list-page.ts';
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

const payeeCell = ({ affiliateId, name, code, email }: Pending, chosen: ReadonlySet<string> | null): Html => {
  const who = html`<span>${nameOf(name ?? email)} <span class="note">${code}</span></span>`;
  if (chosen === null) return who;
  const id = `owed-${affiliateId}`;
  return html`<span class="box"><input type="checkbox" id="${id}" name="affiliateIds" value="${affiliateId}"${attributes({ checked: chosen.has(affiliateId) })}><label for="${id}">${who}</label></span>`;
};

const balances = list({
  id: 'balances',
  operation: 'listPendingPayouts',
  caption: () => 'Balances of affiliates',
  filters: [
    {
      name: 'programId',
      label: 'Program',
      options: async (call) => {
        const options = await programOptions(call);
        return options.length > 1 ? options : [];
      },
    },
    { name: 'ready', label: 'Show', options: READY },
  ],
  sizes: SIZES,
  columns: (call, _rows, { draft }) => [
    {
      id: 'affiliate',
      head: 'Affiliate',
      cell: (row) => payeeCell(row, draft?.isAllowed ? new Set(draft.sentTexts('affiliateIds')) : null),
    },
    { id: 'program', head: 'Program', cell: ({ programName }) => nameOf(programName) },
    {
      id: 'payable',
      head: 'Payable',
      align: 'end',
      cell: ({ pendingAmount, currency }) => call.format.money(pendingAmount, currency),
    },
    {
      id: 'held',
      head: 'On hold',
      align: 'end',
      cell: (row) => (onHoldOf(row) === 0 ? '–' : call.format.money(onHoldOf(row), row.currency)),
    },
    {
      id: 'minimum',
      head: 'Minimum payout',
      align: 'end',
      cell: ({ threshold, currency }) => call.format.money(threshold, currency),
    },
    { id: 'state', head: 'Next payout run', cell: stateCell },
  ],
  noMatch: ({ query }) => ({ ...NO_BALANCES, title: query['ready'] ? 'Nobody can be paid right now' : NO_BALANCES.title }),
  empty: () => NO_BALANCES,
});

const NO_BALANCES = {
  icon: 'money',
  title: 'No balances to pay',
  text: 'Commissions become payable when their hold period ends. Unpaid ones appear here.',
} as const;

const programOptions = async (call: PageCall<'listPrograms'>): Promise<{ value: string; label: string }[]> => {
  if (!call.allows('listPrograms')) return [];
  const { data } = await call.call('listPrograms', { query: { limit: '100' } });
  return data.map(({ id, name }) => ({ value: id, label: name }));
};

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
    columns: columnsForm(balances.id),
  },
  async view(given, forms) {
    const call = given as PageCall;
    const { draft } = forms;
    const runs = await call.call('listPayoutRuns', { query: { limit: '20' } });
    const options = await programOptions(call);
    const chosen = new Set(draft.sentTexts('affiliateIds'));
    const programId = call.query['programId'];
    const drafting = (list: Html, rows: readonly Pending[]): Html => {
      const fields = html`<div class="filters">${draft.field('programId', { options })}${draft.field('paidBy')}${draft.field('name')}</div>${elsewhereView(call, rows, chosen)}<p class="hint">Select affiliates above, or select none to draft a payout run for everyone.</p>`;
      return html`<div>${draft.fill({ programId }).render({ submit: 'Draft payout run', content: html`${list}${fields}` })}</div>`;
    };
    const owed = await balances.show(call, {
      forms,
      around: (list, rows) =>
        (draft.isAllowed && rows.length > 0) || draft.isSent ? drafting(list, rows as readonly Pending[]) : list,
    });
    return {
      title: 'Pay',
      actions: toolsOf(balances.id, [owed.tools]),
      content: html`${payTabs(call)}${unfinishedView(call, runs.data.filter(isUnfinished))}${owed.content}`,
      status: owed.status,
    };
  },
});

const STATUS_OPTIONS = PAYOUT_RUN_STATUSES.map((status) => ({
  value: status,
  label: runForMerchant.states[status === 'awaiting_approval' ? 'to_approve' : status].label,
}));

const runs = list({
  id: 'runs',
  operation: 'listPayoutRuns',
  caption: () => 'Payout runs',
  filters: [{ name: 'status', label: 'Status', options: STATUS_OPTIONS }],
  linked: ['programId'],
  href: ({ id }) => path('/console/pay/runs/{id}', { id }),
  sizes: SIZES,
  columns: (call) => [
    { id: 'run', head: 'Payout run', cell: (run) => nameOf(runName(run, call)) },
    { id: 'status', head: 'Status', cell: (run) => badge(runSaid(run).label, runSaid(run).tone) },
    { id: 'total', head: 'Total', align: 'end', cell: ({ total }) => amountLines(total, call) },
    { id: 'affiliates', head: 'Affiliates', align: 'end', cell: ({ items }) => call.format.number(items) },
    { id: 'drafted', head: 'Drafted', cell: ({ createdAt }) => call.format.time(createdAt) },
    {
      id: 'finished',
      head: 'Finished',
      cell: ({ finishedAt }) => (finishedAt === null ? '–' : call.format.time(finishedAt)),
    },
  ],
  empty: () => ({
    icon: 'clock',
    title: 'No payout runs yet',
    text: 'Draft one to see who gets paid.',
    action: buttonLink('/console/pay', 'Go to Pay', 'primary'),
  }),
});

export const runsPage = listPage({
  list: runs,
  path: '/console/pay/runs',
  audience: 'merchant',
  below: '/console/pay',
  title: () => 'Payout runs',
  above: payTabs,
});
