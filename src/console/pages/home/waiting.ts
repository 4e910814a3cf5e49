import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { payoutButtons } from '../../../texts/payout.finance.en.ts';
import { runButtons } from '../../../texts/payout-run.finance.en.ts';
import { ageOf } from '../../age.ts';
import { withAmount } from '../../amounts.ts';
import { emptyState } from '../../components/blocks.ts';
import { table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { type Child, type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import type { PageCall } from '../../page.ts';
import { payoutSaid, reasonText, runSaid } from '../../said.ts';
import { path, url } from '../../url.ts';
import { BANK_FILES } from '../bank-files/new-bank-file.ts';
import { isApprovedByOthers } from '../pay/run-offers.ts';
import { runName } from '../pay/run-totals.ts';
import type { PayoutData } from '../payouts/payout-offers.ts';
import { RULE_NAMES } from '../settings/approval-rules.ts';
import { accountPath } from '../settings/payout-accounts/account-path.ts';
import { failingAccounts } from '../settings/payout-accounts/account-said.ts';

/** What needs somebody to act. */
interface Waiting {
  what: string;
  /** Why, where the name does not say it all. */
  why: string | null;
  about: Child;
  /** Since when it waits; null when that is not known. */
  since: string | null;
  /** By when somebody has to act; null without a deadline. */
  until: string | null;
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
  'getRailAccounts',
] as const;
type Call = PageCall<(typeof WAITING_OPERATIONS)[number]>;

const SHOWN = 20;

const NEXT_STEPS: Readonly<Record<string, string>> = {
  to_approve: payoutButtons.approve,
  to_pay: 'Pay',
};

const waitingPayout = (call: Call, payout: PayoutData): Waiting => ({
  what: payoutSaid(payout).label,
  why: payout.situation.reason && reasonText(payout.situation.reason),
  about: html`${call.format.money(payout.amount, payout.currency)} to ${nameOf(payout.affiliateName ?? payout.affiliateCode)}`,
  since: payout.approvalRequiredAt ?? payout.processingAt ?? payout.createdAt,
  until: payout.situation.until,
  next: NEXT_STEPS[payout.situation.state] ?? 'Decide',
  href: path('/console/payouts/{id}', { id: payout.id }),
});

/** Payouts that a person carries out together are one row. `isAll`: no others are left unread. */
const togetherOf = (
  call: Call,
  { payouts, isAll }: { payouts: readonly PayoutData[]; isAll: boolean },
  step: Pick<Waiting, 'what' | 'next' | 'href'>,
): Waiting[] => {
  const [oldest] = payouts.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  if (!oldest) return [];
  const count = counted(payouts.length, 'payout', call);
  return [{ ...step, why: null, about: isAll ? count : `${count} among the newest`, since: oldest.createdAt, until: null }];
};

const payoutsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listPayouts')) return [];
  const [decide, pending, processing] = await Promise.all([
    call.call('listPayouts', { query: { needsAttention: 'true', limit: `${SHOWN}` } }),
    call.call('listPayouts', { query: { status: 'pending', limit: '100' } }),
    call.call('listPayouts', { query: { status: 'processing', limit: '100' } }),
  ]);
  // Payouts of a run are approved with it.
  const approve = pending.data.filter(({ situation }) => situation.state === 'to_approve');
  const manual = {
    payouts: [...pending.data, ...processing.data].filter(
      ({ situation, needsAttention }) => situation.state === 'to_pay' && !needsAttention,
    ),
    isAll: !pending.meta.hasMore && !processing.meta.hasMore,
  };
  const forBank = {
    payouts: pending.data.filter(({ situation }) => situation.state === 'to_put_into_file'),
    isAll: !pending.meta.hasMore,
  };
  return [
    ...[...decide.data, ...approve].map((payout) => waitingPayout(call, payout)),
    ...togetherOf(call, manual, { what: 'Manual payouts', next: 'Pay', href: '/console/pay/by-hand' }),
    ...togetherOf(call, forBank, { what: 'Payouts that wait for a bank file', next: 'Make bank file', href: BANK_FILES }),
  ];
};

const RUN_STEPS: Readonly<Record<string, string>> = {
  confirm: runButtons.confirm,
  approve: runButtons.approve,
  resume: runButtons.resume,
};

const waitingRun = (call: Call, run: OperationSuccess<'listPayoutRuns'>['data'][number]): Waiting[] => {
  const next = RUN_STEPS[run.situation.next ?? ''];
  if (next === undefined) return [];
  return [
    {
      what: `${runSaid(run).label}: ${runName(run, call)}`,
      why: null,
      about: withAmount(run.total, counted(run.items, 'affiliate', call), call),
      since: run.pausedAt ?? run.confirmedAt ?? run.createdAt,
      until: run.situation.until,
      next: isApprovedByOthers(run, call) ? 'View' : next,
      href: path('/console/pay/runs/{id}', { id: run.id }),
    },
  ];
};

const runsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listPayoutRuns')) return [];
  const { data } = await call.call('listPayoutRuns', { query: { limit: `${SHOWN}` } });
  return data.flatMap((run) => waitingRun(call, run));
};

/** Without a page of their own yet: the guide says how to decide. */
const inGuide = (what: string, about: string, href: string): Waiting => ({
  what,
  why: null,
  about,
  since: null,
  until: null,
  next: 'How to decide',
  href,
});

const flagsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('getFlagStats')) return [];
  const { data } = await call.call('getFlagStats');
  return data.open === 0 ? [] : [inGuide('Fraud reviews', counted(data.open, 'review', call), '/docs/guides/flags.md')];
};

const applicationsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listApplications')) return [];
  const { meta } = await call.call('listApplications', { query: { status: 'pending', limit: '1' } });
  const about = counted(meta.total, 'application', call);
  return meta.total === 0 ? [] : [inGuide('Applications', about, '/docs/guides/affiliates.md')];
};

const changesOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listPendingChanges')) return [];
  const { data } = await call.call('listPendingChanges', { query: { status: 'pending', limit: `${SHOWN}` } });
  return data.map(({ setting, createdAt, dueAt }) => ({
    what: 'Change to the approval rules',
    why: null,
    about: RULE_NAMES[setting],
    since: createdAt,
    until: dueAt,
    next: 'Review',
    href: '/console/settings',
  }));
};

const saleProblemsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('listSaleProblems')) return [];
  const { data, meta } = await call.call('listSaleProblems', { query: { open: 'true', limit: '1' } });
  const [newest] = data;
  if (!newest) return [];
  const about = counted(meta.total, 'payment event', call);
  const since = meta.total === 1 ? newest.createdAt : null;
  return [{ what: 'Payments to check', why: null, about, since, until: null, next: 'Check', href: '/console/sale-problems' }];
};

const accountsOf = async (call: Call): Promise<Waiting[]> => {
  if (!call.allows('getRailAccounts')) return [];
  const { data } = await call.call('getRailAccounts');
  return failingAccounts(data).map(({ rail, label, isHeld, why, since }) => ({
    what: isHeld ? 'Payout account on hold' : "Payout account that can't pay",
    why,
    about: label,
    since,
    until: null,
    next: 'Check',
    href: accountPath(rail),
  }));
};

const differencesOf = (call: Call, open: number): Waiting[] => {
  if (open === 0) return [];
  const about = counted(open, 'payment', call);
  const next = 'Review';
  return [{ what: 'Reconciliation', why: null, about, since: null, until: null, next, href: '/console/reconciliation' }];
};

/** What comes first: the nearest deadline, then what has waited longest. */
const byUrgency = (a: Waiting, b: Waiting): number =>
  (a.until ?? '9').localeCompare(b.until ?? '9') || (a.since ?? '9').localeCompare(b.since ?? '9');

/** Everything that somebody has to decide on, the most urgent first. `differences`: payments that the books and a provider tell differently. */
export const waitingView = async (call: Call, differences: number): Promise<Html> => {
  const all = [payoutsOf, runsOf, flagsOf, applicationsOf, changesOf, saleProblemsOf, accountsOf];
  const found = (await Promise.all(all.map((read) => read(call)))).flat();
  const rows = [...found, ...differencesOf(call, differences)].sort(byUrgency);
  return html`<h2>Needs attention</h2>${table({
    caption: 'Needs attention',
    rows,
    columns: [
      {
        head: 'What',
        cell: ({ what, why, href }) =>
          html`<span><a href="${url(href)}">${what}</a>${why !== null && html` <span class="note">${why}</span>`}</span>`,
      },
      { head: 'About', cell: ({ about }) => about },
      { head: 'Waiting', cell: ({ since }) => (since === null ? '–' : ageOf(since)) },
      { head: 'Deadline', cell: ({ until }) => (until === null ? '–' : call.format.time(until)) },
      {
        head: 'Next',
        cell: ({ next, href }) => html`<a class="button secondary small" href="${url(href)}">${next}</a>`,
      },
    ],
    empty: emptyState({
      icon: 'check',
      title: "You're all caught up",
      text: 'Payouts, payout runs and fraud reviews that need a decision appear here.',
    }),
  })}`;
};
