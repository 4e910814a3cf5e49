import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { ageOf } from '../../age.ts';
import { emptyState } from '../../components/blocks.ts';
import { table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import { path, url } from '../../url.ts';
import { isUnfinished, runName, runStateOf, totalText } from '../pay/run-state.ts';
import { awaitsApproval, isByHand, type PayoutData, stateOf } from '../payouts/payout-state.ts';

/** What waits for a person. */
interface Waiting {
  what: string;
  who: string;
  /** Since when it waits; null when that is not known. */
  since: string | null;
  next: string;
  href: string;
}

export const WAITING_OPERATIONS = [
  'listPayouts',
  'listPayoutRuns',
  'getFlagStats',
  'listApplications',
  'listPendingChanges',
  'listSaleProblems',
] as const;
type Call = PageCall<(typeof WAITING_OPERATIONS)[number]>;

const SHOWN = 20;

const ofPayout = (call: Call, payout: PayoutData): Waiting => ({
  what: stateOf(payout).label,
  who: `${call.format.money(payout.amount, payout.currency)} to ${payout.affiliateName ?? payout.affiliateCode}`,
  since: payout.approvalRequiredAt ?? payout.processingAt ?? payout.createdAt,
  next: payout.needsAttention ? 'Decide' : 'Approve',
  href: path('/console/payouts/{id}', { id: payout.id }),
});

const byHandOf = (call: Call, payouts: readonly PayoutData[]): Waiting[] => {
  const manual = payouts.filter((payout) => isByHand(payout) && !payout.needsAttention && !awaitsApproval(payout));
  const [oldest] = manual.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  if (!oldest) return [];
  const who = counted(manual.length, 'payout', call);
  return [{ what: 'To be paid by hand', who, since: oldest.createdAt, next: 'Pay', href: '/console/pay/by-hand' }];
};

const payoutsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listPayouts')) return [];
  const [decide, pending, processing] = await Promise.all([
    call.call('listPayouts', { query: { needsAttention: 'true', limit: `${SHOWN}` } }),
    call.call('listPayouts', { query: { status: 'pending', limit: '100' } }),
    call.call('listPayouts', { query: { status: 'processing', limit: '100' } }),
  ]);
  // Those of a run are approved with it.
  const approve = pending.data.filter((payout) => awaitsApproval(payout) && !payout.needsAttention);
  return [
    ...[...decide.data, ...approve].map((payout) => ofPayout(call, payout)),
    ...byHandOf(call, [...pending.data, ...processing.data]),
  ];
};

const RUN_STEPS = { draft: 'Confirm', awaiting_approval: 'Approve', paused: 'Resume or cancel' } as const;

const ofRun = (call: Call, run: OperationSuccess<'listPayoutRuns'>['data'][number]): Waiting[] => {
  if (!isUnfinished(run) || run.status === 'running') return [];
  const next = RUN_STEPS[run.status as keyof typeof RUN_STEPS];
  return [
    {
      what: `${runStateOf(run).label}: ${runName(run, call)}`,
      who: `${totalText(run.total, call)} to ${counted(run.items, 'affiliate', call)}`,
      since: run.pausedAt ?? run.confirmedAt ?? run.createdAt,
      next,
      href: path('/console/pay/runs/{id}', { id: run.id }),
    },
  ];
};

const runsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listPayoutRuns')) return [];
  const { data } = await call.call('listPayoutRuns', { query: { limit: `${SHOWN}` } });
  return data.flatMap((run) => ofRun(call, run));
};

const flagsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('getFlagStats')) return [];
  const { data } = await call.call('getFlagStats');
  const who = counted(data.open, 'flag', call);
  return data.open === 0
    ? []
    : [{ what: 'Flags to decide on', who, since: null, next: 'How to decide', href: '/docs/guides/flags.md' }];
};

const applicationsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listApplications')) return [];
  const { meta } = await call.call('listApplications', { query: { status: 'pending', limit: '1' } });
  const who = counted(meta.total, 'application', call);
  return meta.total === 0
    ? []
    : [{ what: 'Applications to decide on', who, since: null, next: 'How to decide', href: '/docs/guides/affiliates.md' }];
};

const changesOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listPendingChanges')) return [];
  const { data } = await call.call('listPendingChanges', { query: { status: 'pending', limit: `${SHOWN}` } });
  return data.map(({ setting, createdAt }) => ({
    what: 'Change of a rule about payouts',
    who: setting,
    since: createdAt,
    next: 'Approve',
    href: '/console/settings',
  }));
};

const saleProblemsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listSaleProblems')) return [];
  const { data, meta } = await call.call('listSaleProblems', { query: { open: 'true', limit: '1' } });
  const [newest] = data;
  if (!newest) return [];
  const who = counted(meta.total, 'payment event', call);
  const since = meta.total === 1 ? newest.createdAt : null;
  return [{ what: 'Payments to check', who, since, next: 'Check', href: '/console/sale-problems' }];
};

/** Everything that somebody has to decide on, what waits longest first. */
export const waitingView = async (call: Call): Promise<Html> => {
  const all = [payoutsOf, runsOf, flagsOf, applicationsOf, changesOf, saleProblemsOf];
  const lists = await Promise.all(all.map((read) => read(call)));
  const rows = lists.flat().sort((a, b) => (a.since ?? '9').localeCompare(b.since ?? '9'));
  return html`<h2>Waits for a person</h2>${table({
    caption: 'What waits for a person',
    rows,
    columns: [
      { head: 'What', cell: ({ what, href }) => html`<a href="${url(href)}">${what}</a>` },
      { head: 'About', cell: ({ who }) => who },
      { head: 'Waits for', cell: ({ since }) => (since === null ? '–' : ageOf(since)) },
      {
        head: 'Next',
        cell: ({ next, href }) => html`<a class="button secondary small" href="${url(href)}">${next}</a>`,
      },
    ],
    empty: emptyState({
      icon: 'check',
      title: 'Nothing waits for a person',
      text: 'Payouts, runs and flags that need a decision appear here.',
    }),
  })}`;
};
