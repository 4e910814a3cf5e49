import { payoutContradiction } from '../../contracts/workflows/payout-contradiction.ts';
import { payoutLifecycle } from '../../contracts/workflows/payout-lifecycle.ts';
import { payoutReturn } from '../../contracts/workflows/payout-return.ts';
import { sql } from '../../platform/database/sql.ts';
import { type UnfinishedWorkSource, unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { contradictionSuffixOf, SUMMARY, SUMMARY_TABLES } from './payout-workflow.ts';

/** Payouts that are neither completed nor failed. */
const openPayouts = unfinishedRows(payoutLifecycle, {
  name: 'payouts',
  from: SUMMARY_TABLES,
  id: sql`p.id`,
  isUnfinished: sql`p.status in ('pending','processing')`,
  changedAt: sql`p.updated_at`,
  queuedAs: ['payout.start', 'payout.changed'],
  payload: SUMMARY,
});

/** Returned payments that are not recorded yet. */
const openReturns = unfinishedRows(payoutReturn, {
  name: 'returned payments',
  from: sql`${SUMMARY_TABLES} join payout_attempt t on t.payout_id = p.id`,
  id: sql`t.id`,
  isUnfinished: sql`t.return_requested_at is not null and t.outcome = 'paid'`,
  changedAt: sql`t.return_requested_at`,
  payload: { ...SUMMARY, attemptId: sql`t.id`, attemptNumber: sql`t.n` },
});

/** Contradictions that nobody resolved yet; a payout has at most one. */
const openContradictions = unfinishedRows(payoutContradiction, {
  name: 'contradictions',
  from: sql`${SUMMARY_TABLES} join payout_contradiction k on k.payout_id = p.id`,
  id: sql`p.id`,
  isUnfinished: sql`k.resolved_at is null`,
  changedAt: sql`k.opened_at`,
  suffix: contradictionSuffixOf(sql`k.n`),
  payload: { ...SUMMARY, n: sql`k.n` },
});

export const UNFINISHED_PAYOUTS: readonly UnfinishedWorkSource[] = [openPayouts, openReturns, openContradictions];
