import type { LeftOutReason, PayoutRunStatus, RunCancelReason, RunItemResult } from '../../contracts/payout-runs.ts';
import { RUN_DRAFT_DAYS } from '../../contracts/payout-runs.ts';
import { type Rail, railsThatBeginWith } from '../../contracts/rails.ts';
import type { PayoutRunSnapshot, RunCount, RunShare } from '../../contracts/workflows/payout-runs.ts';
import { after, DAY_MS, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, isoOf, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { roleOfActor } from '../auth/index.ts';
import { isWaitingForAccount } from './failing-accounts.queries.ts';

// Templates: groups of a join over derived columns.

/** Over which the rate is measured. */
const RATE_MS = 10 * MINUTE_MS;
/** As of a draft. */
const APPROVAL_DAYS = RUN_DRAFT_DAYS;

const CALLED = railsThatBeginWith('call');

/** Whether the provider has told nothing yet about an open payout `p` that a worker sends: it is to be sent, or was. */
export const isUnanswered = sql<boolean>`(p.status in ('pending','processing') and p.rail = any(${CALLED}) and not exists (
  select from payout_attempt a where a.payout_id = p.id and a.outcome not in ('created','unknown')))`;

interface Group {
  currency: string;
  rail: Rail | null;
  result: RunItemResult;
  reason: LeftOutReason | null;
  state: 'pending' | 'unanswered' | 'processing' | 'completed' | 'failed' | null;
  failureCode: string | null;
  count: number;
  shown: number;
  paid: number;
  needAttention: number;
  stuck: number;
  waiting: number;
  recent: number;
}

const groupsOf = (runId: string, since: Date, now: Date): RawBuilder<Group> => sql<Group>`
  select i.currency, i.rail, i.result, i.reason, s.state, p.failure_code as "failureCode", count(*) as count,
    sum(i.amount) as shown, coalesce(sum(i.paid_amount), 0) as paid,
    count(*) filter (where p.needs_attention) as "needAttention", count(*) filter (where i.result = 'planned' and (i.tries > 0 or w.waits)) as stuck,
    count(*) filter (where w.waits) as waiting,
    count(*) filter (where greatest(p.completed_at, p.failed_at) > ${since.toISOString()}) as recent
  from payout_run_item i left join payout p on p.id = i.payout_id
    cross join lateral (select case when p.status = 'pending' then 'pending' when p.status = 'processing' and ${isUnanswered}
      then 'unanswered' else p.status end as state) s
    cross join lateral (select i.result = 'planned' and ${isWaitingForAccount(sql`i.rail`, sql`i.run_id`, now)} as waits) w
  where i.run_id = ${runId} group by 1, 2, 3, 4, 5, 6`;

const newShare = (currency: string, rail: Rail): RunShare => ({
  ...{ currency, rail, affiliates: 0, shownMinor: 0, planned: 0, payouts: 0, payoutsMinor: 0 },
  ...{ open: 0, pending: 0, unanswered: 0, paid: 0, paidMinor: 0, failed: 0 },
});

const addGroup = (share: RunShare, { result, state, count, shown, paid }: Group): void => {
  share.affiliates += count;
  share.shownMinor += shown;
  if (result === 'planned') share.planned += count;
  if (result !== 'payout') return;
  share.payouts += count;
  share.payoutsMinor += paid;
  const isCalled = CALLED.includes(share.rail);
  if (state === 'completed') {
    share.paid += count;
    share.paidMinor += paid;
  } else if (state === 'failed') share.failed += count;
  else share.open += count;
  if (state === 'pending') share.pending += count;
  if (state === 'unanswered' || (state === 'pending' && isCalled)) share.unanswered += count;
};

const sharesOf = (groups: readonly Group[]): RunShare[] => {
  const shares = new Map<string, RunShare>();
  for (const group of groups) {
    const { currency, rail, result } = group;
    if (rail === null || result === 'left_out') continue;
    const key = `${currency} ${rail}`;
    const share = shares.get(key) ?? newShare(currency, rail);
    shares.set(key, share);
    addGroup(share, group);
  }
  return [...shares.keys()].sort().flatMap((key) => shares.get(key) ?? []);
};

/** The most frequent first. */
const countsOf = <Code extends string>(groups: readonly Group[], codeOf: (group: Group) => Code | null): RunCount<Code>[] => {
  const counts = new Map<Code, number>();
  for (const group of groups) {
    const code = codeOf(group);
    if (code !== null) counts.set(code, (counts.get(code) ?? 0) + group.count);
  }
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
};

interface RunRow {
  version: number;
  status: PayoutRunStatus;
  cancelReason: RunCancelReason | null;
  createdAt: string;
  confirmedAt: string | null;
  finishedAt: string | null;
  createdBy: string | null;
  confirmedBy: string | null;
  approvedBy: string | null;
  run: string | null;
}

const runRow = (runId: string): RawBuilder<RunRow> => sql<RunRow>`
  select r.version, r.status, r.cancel_reason as "cancelReason", ${isoOf(sql`r.created_at`)} as "createdAt",
    ${isoOf(sql`r.confirmed_at`)} as "confirmedAt", ${isoOf(sql`r.finished_at`)} as "finishedAt",
    ${roleOfActor(sql`r.created_by`, sql`r.merchant_id`)} as "createdBy",
    ${roleOfActor(sql`r.confirmed_by`, sql`r.merchant_id`)} as "confirmedBy",
    ${roleOfActor(sql`r.approved_by`, sql`r.merchant_id`)} as "approvedBy", r.run_id as run
  from payout_run r where r.id = ${runId}`;

/** Until when somebody has to confirm or approve it; null when nobody has to. */
export const decideByOf = (
  { settings }: Pick<Context, 'settings'>,
  { status, createdAt, confirmedAt }: { status: PayoutRunStatus; createdAt: Date; confirmedAt?: Date | null | undefined },
): Date | null => {
  if (status === 'draft') return after(createdAt, settings.scaled(RUN_DRAFT_DAYS * DAY_MS));
  if (status !== 'awaiting_approval' || !confirmedAt) return null;
  return after(confirmedAt, settings.scaled(APPROVAL_DAYS * DAY_MS));
};

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));

/** How a run is: one group for each outcome, however many items it has. */
export const getRunSnapshot = async (ctx: Context, runId: string): Promise<PayoutRunSnapshot> => {
  const run = await firstRow(ctx.em, runRow(runId));
  if (!run) throw notFound('Payout run');
  const { createdAt, ...row } = run;
  const now = ctx.clock.now();
  const groups = await rows(ctx.em, groupsOf(runId, after(now, -RATE_MS), now));
  const runningMs = run.confirmedAt === null ? 0 : now.getTime() - Date.parse(run.confirmedAt);
  const minutes = Math.max(1_000, Math.min(RATE_MS, runningMs)) / MINUTE_MS;
  const recent = groups.reduce((total, group) => total + group.recent, 0);
  return {
    ...row,
    decideBy:
      decideByOf(ctx, { ...run, createdAt: new Date(createdAt), confirmedAt: dateOf(run.confirmedAt) })?.toISOString() ?? null,
    shares: sharesOf(groups),
    leftOut: countsOf(groups, ({ result, reason }) => (result === 'left_out' ? reason : null)),
    failures: countsOf(groups, ({ state, failureCode }) => (state === 'failed' ? failureCode : null)),
    needAttention: groups.reduce((total, group) => total + group.needAttention, 0),
    stuck: groups.reduce((total, group) => total + group.stuck, 0),
    waitForAccount: groups.reduce((total, group) => total + group.waiting, 0),
    perMinute: recent === 0 ? null : Math.round((10 * recent) / minutes) / 10,
  };
};
