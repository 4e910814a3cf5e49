import { formatMoney, toMajorUnits } from '../currencies.ts';
import type { LeftOutReason, PayoutRunStatus, RunCancelReason } from '../payout-runs.ts';
import { beginsWith, isPaidByPerson, type Rail } from '../rails.ts';
import { type RunSituation, runSituation } from '../situations/payout-run.ts';
import type { CancellationRequest, RunClaim, SearchValues } from './descriptor.ts';
import type { WorkflowLinks } from './text.ts';

/** Minor units of one currency. */
export interface RunAmount {
  currency: string;
  minor: number;
}

/** What the workflow needs of the row, and its total when it was queued. */
export interface PayoutRunSummary {
  runId: string;
  merchantId: string;
  /** Null: all programs. */
  programId: string | null;
  programName: string | null;
  companyName?: string;
  /** The merchant's own; null if there is none. */
  name?: string | null;
  amounts: RunAmount[];
  affiliates: number;
  createdAt: string;
}

/** Part of the workflow input, so that tests can run with milliseconds. */
export interface RunTiming {
  /** Until the first look at payouts that are not final; doubles up to `checkMaxMs`. */
  checkMs: number;
  checkMaxMs: number;
  /** Until the next look while as many payouts wait for the provider as may. */
  windowMs: number;
}

export const RUN_TIMING: RunTiming = { checkMs: 5_000, checkMaxMs: 600_000, windowMs: 5_000 };

/** Payouts of a run on online rails that the provider has not answered yet: a pause stops all that come after them. */
export const MAX_UNANSWERED = 200;

export interface PayoutRunInput {
  /** "1234.00 USD" of all that it would pay when it began. */
  amount: string;
  affiliates: number;
  /** Null: all programs. */
  program: string | null;
  name?: string | null;
  company?: string;
  runId: string;
  merchantId: string;
  programId: string | null;
  createdAt: string;
  timing: RunTiming;
  links: WorkflowLinks;
}

export interface PayoutRunResult {
  status: PayoutRunStatus | 'superseded';
  paid: string;
  payouts: number;
  failed: number;
  leftOut: number;
  runId: string;
}

/** Whom a run pays in one currency over one rail. Minor units. */
export interface RunShare {
  currency: string;
  rail: Rail;
  /** As the draft shows them, without those that were left out. */
  affiliates: number;
  shownMinor: number;
  /** Their turn has not come. */
  planned: number;
  payouts: number;
  payoutsMinor: number;
  /** Neither paid nor failed. */
  open: number;
  /** Without an attempt. */
  pending: number;
  /** The provider has not answered yet. */
  unanswered: number;
  paid: number;
  paidMinor: number;
  failed: number;
}

export interface RunCount<Code extends string = string> {
  code: Code;
  count: number;
}

/** Result of each activity of the workflow; everything else stays in Postgres. */
export interface PayoutRunSnapshot {
  version: number;
  status: PayoutRunStatus;
  cancelReason: RunCancelReason | null;
  /** ISO time until when a person has to confirm or approve it; null when nobody has to. */
  decideBy: string | null;
  shares: RunShare[];
  leftOut: RunCount<LeftOutReason>[];
  /** Failure codes of payouts. */
  failures: RunCount[];
  /** Payouts that wait for a person. */
  needAttention: number;
  /** Planned items whose payouts could not be created because of our own errors. */
  stuck: number;
  /** Items among these that wait for an account that its provider refuses. Absent: recorded before there were any. */
  waitForAccount?: number;
  /** Payouts that became final in the last minutes, per minute; null before the first one. */
  perMinute: number | null;
  /** Roles; null when it has not happened. */
  createdBy: string | null;
  confirmedBy: string | null;
  confirmedAt: string | null;
  approvedBy: string | null;
  finishedAt: string | null;
  /** The workflow run that shows it. */
  run: string | null;
}

/** Every activity runs at least once and is safe to repeat. */
export interface PayoutRunActivities {
  /** Loads the run. Ends it when all its payouts are final, or when nobody decided in time. */
  checkRun(input: { runId: string }): Promise<PayoutRunSnapshot>;
  /** Creates the next payouts, for a few seconds: as many as may wait for the provider. */
  createRunPayouts(input: { runId: string }): Promise<PayoutRunSnapshot>;
  /** Fails payouts of a cancelled run that have no attempt, for a few seconds. */
  cancelRunPayouts(input: { runId: string }): Promise<PayoutRunSnapshot>;
  /** As that of payouts: whether another workflow run shows it. */
  claimPayoutRun(input: { runId: string; startedAt: string }): Promise<RunClaim>;
  /** Says who requested the cancellation of the workflow; it has no effect. */
  findRunCancellation(input: { runId: string }): Promise<CancellationRequest>;
}

const sum = <T>(list: readonly T[], numberOf: (item: T) => number): number =>
  list.reduce((total, item) => total + numberOf(item), 0);

export interface RunTotals {
  affiliates: number;
  planned: number;
  plannedByHand: number;
  payouts: number;
  open: number;
  pending: number;
  unanswered: number;
  paid: number;
  failed: number;
  leftOut: number;
}

export const totalsOf = ({ shares, leftOut }: PayoutRunSnapshot): RunTotals => ({
  affiliates: sum(shares, (share) => share.affiliates),
  planned: sum(shares, (share) => share.planned),
  plannedByHand: sum(shares, (share) => (beginsWith(share.rail, 'person', 'file') ? share.planned : 0)),
  payouts: sum(shares, (share) => share.payouts),
  pending: sum(shares, (share) => share.pending),
  open: sum(shares, (share) => share.open),
  unanswered: sum(shares, (share) => share.unanswered),
  paid: sum(shares, (share) => share.paid),
  failed: sum(shares, (share) => share.failed),
  leftOut: sum(leftOut, ({ count }) => count),
});

/** By currency, in the order of their names. */
export const amountsOf = (shares: readonly RunShare[], minorOf: (share: RunShare) => number): RunAmount[] => {
  const totals = new Map<string, number>();
  for (const share of shares) totals.set(share.currency, (totals.get(share.currency) ?? 0) + minorOf(share));
  return [...totals].sort().map(([currency, minor]) => ({ currency, minor }));
};

const MAX_TEXT = 200;

/** "1234.00 USD + 20.00 EUR". */
export const amountText = (amounts: readonly RunAmount[]): string => {
  const given = amounts.filter(({ minor }) => minor !== 0).map(({ currency, minor }) => formatMoney(minor, currency));
  const text = given.join(' + ');
  if (text === '') return amounts[0] ? formatMoney(0, amounts[0].currency) : '0';
  return text.length <= MAX_TEXT ? text : `${given.length} currencies`;
};

export const moneyAttributes = (amounts: readonly RunAmount[]): SearchValues => {
  const [only, ...more] = amounts;
  const single = only && more.length === 0 ? only : null;
  return {
    AmountText: amountText(amounts),
    Currency: single?.currency ?? null,
    Amount: single && toMajorUnits(single.minor, single.currency),
    AmountMinor: single?.minor ?? null,
  };
};

/** Whether nothing goes on before a person has done something. */
export const runNeedsAttention = ({ status, needAttention, stuck }: PayoutRunSnapshot): boolean =>
  status === 'draft' || status === 'awaiting_approval' || (status === 'running' && needAttention + stuck > 0);

const exceptionOf = ({ cancelReason, leftOut, failures }: PayoutRunSnapshot): string | null =>
  cancelReason ?? [...failures, ...leftOut].sort((a, b) => b.count - a.count)[0]?.code ?? null;

/** Where the run is. */
export const situationOfRun = (run: PayoutRunSnapshot): RunSituation =>
  runSituation({
    ...run,
    isStuck: run.stuck > (run.waitForAccount ?? 0),
    isAccountFailing: (run.waitForAccount ?? 0) > 0,
    needsAttention: run.needAttention > 0,
    hasManual: run.shares.some(({ rail, open }) => isPaidByPerson(rail) && open > 0),
  });

/** What the list of workflows shows. `nextMs` is when the workflow continues by itself; null when it does not. */
export const runAttributes = (run: PayoutRunSnapshot, nextMs: number | null): SearchValues => {
  const rails = new Set(run.shares.map(({ rail }) => rail));
  const [rail = null] = rails;
  return {
    State: situationOfRun(run).state,
    Reason: exceptionOf(run),
    Rail: rails.size === 1 ? rail : null,
    ...moneyAttributes(amountsOf(run.shares, ({ shownMinor }) => shownMinor)),
    NeedsAttention: runNeedsAttention(run),
    DecideBy: run.decideBy === null ? null : new Date(run.decideBy),
    NextCheckAt: nextMs === null ? null : new Date(nextMs),
  };
};
