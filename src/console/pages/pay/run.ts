import { type ActorNames, NAMING_OPERATIONS, readActorNames } from '../../actor-names.ts';
import { amountLines } from '../../amounts.ts';
import { figures, progress } from '../../components/blocks.ts';
import { counted } from '../../counted.ts';
import { attributes, type Child, type Html, html, nothing } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { mustOthersApprove } from '../../offers.ts';
import { type PageCall, page, redirectToSigned } from '../../page.ts';
import { paymentsHeldNotice, readReconciliation } from '../../payments-held.ts';
import { recordPage } from '../../record-page.ts';
import { runSaid } from '../../said.ts';
import { path, url } from '../../url.ts';
import { bankFileNeededView, bankFilesView } from '../bank-files/run-bank-files.ts';
import { methodName } from '../payouts/payout-method.ts';
import { runAccountsView } from './run-accounts.ts';
import { manualView, runActions } from './run-actions.ts';
import { runForms } from './run-forms.ts';
import { exceptionsView, itemsView, runItemsForm } from './run-items.ts';
import { isUnfinished, type RunData, runName, sumOf } from './run-totals.ts';

const PAID = ['completed'] as const;
const OPEN = ['planned', 'pending', 'processing'] as const;

const figuresOf = (run: RunData, call: PageCall): Html => {
  const of = (results: readonly string[]) => sumOf(run.totals.filter(({ result }) => results.includes(result)));
  const [paid, open, not] = [of(PAID), of(OPEN), of(['left_out', 'failed'])];
  const note = ({ items }: { items: number }): string => counted(items, 'affiliate', call);
  return figures([
    { label: 'Paid', value: amountLines(paid.total, call), note: note(paid), tone: paid.items > 0 ? 'good' : 'neutral' },
    { label: run.status === 'draft' ? 'Would be paid' : 'To be paid', value: amountLines(open.total, call), note: note(open) },
    { label: 'Not paid', value: amountLines(not.total, call), note: note(not), tone: not.items > 0 ? 'warning' : 'neutral' },
  ]);
};

const REFRESH = 'every 5s';

/** How far the run is. While it runs, scripts refresh only this part, so that nobody loses what they are typing. */
const progressOf = ({ status, progress: at }: RunData, call: PageCall): Html | false => {
  if (status === 'draft' || status === 'awaiting_approval') return false;
  const all = at.waiting + at.open + at.final;
  const rate = at.perMinute === null ? '' : `, ${call.format.number(at.perMinute)} a minute`;
  const refresh = { 'hx-get': call.path, 'hx-trigger': REFRESH, 'hx-select': '#progress', 'hx-swap': 'outerHTML' };
  return html`<div id="progress"${attributes(status === 'running' ? refresh : {})}>${progress({
    label: 'Progress',
    value: at.final,
    max: all,
    text: `${call.format.number(at.final)} of ${call.format.number(all)} completed or failed${rate}`,
  })}${at.expectedEndAt !== null && html`<p class="note">Expected end: ${call.format.time(at.expectedEndAt)}</p>`}${status === 'completed' || status === 'cancelled' ? nothing : html`<p><a href="${url(call.path)}">Reload</a></p>`}</div>`;
};

interface Names {
  program: string | null;
  nameOfActor: ActorNames;
}

const at = (time: string | null, actor: string | null, { format }: PageCall, { nameOfActor }: Names): Html | null =>
  time === null ? null : html`${format.time(time)}${actor !== null && html`, ${nameOfActor(actor)}`}`;

const factsOf = (run: RunData, call: PageCall, names: Names): (readonly [string, Child])[] => [
  [run.confirmedAt === null ? 'Draft total' : 'Confirmed total', amountLines(run.total, call)],
  ['Affiliates', call.format.number(run.items)],
  [
    'Provider fees',
    run.fees.map(({ currency, amount, returned }) => call.format.money(amount - returned, currency)).join('; ') || null,
  ],
  ['Program', run.programId === null ? 'All programs' : nameOf(names.program ?? 'One program')],
  ['Payout method', run.method && methodName(run.method)],
  ['Drafted', at(run.createdAt, run.createdBy, call, names)],
  ['Confirmed', at(run.confirmedAt, run.confirmedBy, call, names)],
  ['Approved', at(run.approvedAt, run.approvedBy, call, names)],
  ['Paused since', run.pausedAt && call.format.time(run.pausedAt)],
  ['Finished', run.finishedAt && call.format.time(run.finishedAt)],
];

/** Whoever reads that a provider rejected payments finds its reason one page further. */
const failedNote = ({ totals }: RunData): Html | false =>
  totals.some(({ result }) => result === 'failed') &&
  html`<p>Open a failed payout below to see what the provider said and what to do. Once that is fixed, the next payout run pays the amount.</p>`;

export const runPage = recordPage({
  path: '/console/pay/runs/{id}',
  audience: 'merchant',
  below: '/console/pay',
  uses: ['getPayoutRun', 'listPayoutRunItems'],
  mayUse: ['exportPayoutRun', 'getProgram', 'getRailAccounts', 'getReconciliationStatus', ...NAMING_OPERATIONS],
  forms: { ...runForms, columns: runItemsForm },
  async read(given, forms) {
    const call = given as PageCall;
    const id = call.param('id');
    const { data: run } = await call.call('getPayoutRun', { params: { id } });
    const [reconciliation, nameOfActor, program, actions, items, accounts] = await Promise.all([
      isUnfinished(run) ? readReconciliation(call) : null,
      readActorNames(call),
      run.programId !== null && call.allows('getProgram') ? call.call('getProgram', { params: { id: run.programId } }) : null,
      runActions(run, call),
      itemsView(run, forms, call),
      runAccountsView(run, call),
    ]);
    const names: Names = { nameOfActor, program: program?.data.name ?? null };
    const workflow = call.workflowUrl(`payout-run/${id}`);
    const [manual, exceptions] = [manualView(run, forms, call), exceptionsView(run, call)];
    const bankFiles = bankFilesView(run, call);
    return {
      title: runName(run, call),
      heading: nameOf(runName(run, call)),
      back: { href: '/console/pay/runs', label: 'Payout runs' },
      links: html`${
        call.allows('exportPayoutRun') &&
        html`<a class="button secondary small" href="${url(path('/console/pay/runs/{id}/export', { id }))}"${attributes({ 'hx-boost': 'false' })}>${call.texts.kit.export}</a>`
      }${workflow !== null && html`<a class="button secondary small" href="${url(workflow)}" target="_blank" rel="noopener">Workflow</a>`}`,
      situation: { said: runSaid(run), ...(mustOthersApprove(run) && { next: null }), until: run.situation.until },
      actions,
      figures: html`${paymentsHeldNotice(reconciliation, call)}${accounts}${bankFileNeededView(run, call)}${figuresOf(run, call)}${progressOf(run, call)}`,
      facts: factsOf(run, call, names),
      sections: [
        bankFiles ? { title: 'Bank files', content: bankFiles } : null,
        manual ? { title: 'Manual payouts', content: manual } : null,
        exceptions ? { title: 'Not paid', content: html`${failedNote(run)}${exceptions}` } : null,
        { title: 'Affiliates', content: items },
      ],
    };
  },
});

/** Redirects to the file, whose address is made for each download. */
export const runExportPage = page({
  path: '/console/pay/runs/{id}/export',
  audience: 'merchant',
  below: '/console/pay',
  uses: ['exportPayoutRun'],
  async view(call) {
    const { data } = await call.call('exportPayoutRun', { params: { id: call.param('id') } });
    return redirectToSigned(data.url);
  },
});
