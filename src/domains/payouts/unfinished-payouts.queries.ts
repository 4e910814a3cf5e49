import { payoutContradiction } from '../../contracts/workflows/payout-contradiction.ts';
import { payoutCorrection } from '../../contracts/workflows/payout-correction.ts';
import { payoutLifecycle } from '../../contracts/workflows/payout-lifecycle.ts';
import { sql } from '../../platform/database/sql.ts';
import { type UnfinishedWorkSource, unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { contradictionSuffixOf, correctionSuffixOf, SUMMARY, SUMMARY_TABLES } from './payout-workflow.steps.ts';

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

/** Final ones whose end no workflow shows. */
const lostPayouts = unfinishedRows(payoutLifecycle, {
  name: 'payouts that no workflow shows',
  from: SUMMARY_TABLES,
  id: sql`p.id`,
  isUnfinished: sql`(p.run_lost and p.status in ('completed','failed'))`,
  changedAt: sql`p.updated_at`,
  queuedAs: ['payout.start', 'payout.changed'],
  payload: SUMMARY,
});

/** Returns that are not booked yet, of which a payout has at most one, and corrections that no workflow shows. */
const openCorrections = unfinishedRows(payoutCorrection, {
  name: 'corrections',
  from: sql`${SUMMARY_TABLES} join payout_correction k on k.payout_id = p.id`,
  id: sql`p.id`,
  isUnfinished: sql`(k.closed_at is null or k.run_lost)`,
  changedAt: sql`k.requested_at`,
  suffix: correctionSuffixOf(sql`k.n`),
  payload: { ...SUMMARY, n: sql`k.n`, cause: sql`k.cause` },
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

export const UNFINISHED_PAYOUTS: readonly UnfinishedWorkSource[] = [
  openPayouts,
  lostPayouts,
  openCorrections,
  openContradictions,
];
