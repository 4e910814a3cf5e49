import type { FlagSummary } from '../../contracts/flags.ts';
import { flagReview } from '../../contracts/workflows/flag-review.ts';
import { sql } from '../../platform/database/sql.ts';
import { unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { SUMMARY, SUMMARY_TABLES } from './flag-state.queries.ts';

/** Flags that still hold conversions: open ones, and confirmed ones whose commissions are being rejected. */
export const UNFINISHED_FLAGS = unfinishedRows<FlagSummary>({
  name: 'flags',
  from: SUMMARY_TABLES,
  id: sql`f.id`,
  isUnfinished: sql`f.hold_ended_at is null`,
  changedAt: sql`f.created_at`,
  topics: ['flag.start'],
  payload: SUMMARY,
  messageOf: (payload) => ({ topic: 'flag.start', subjectId: payload.flagId, suffix: '', payload }),
  workflowIdOf: flagReview.id,
});
