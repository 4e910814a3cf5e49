import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { RETENTION_STEPS, type RetentionActivities, type RetentionStep } from '../src/contracts/workflows/retention.ts';
import { activitiesOn, database } from './support/activities.ts';

const MAX_ROUNDS = 500;

/** What is removed, in this order: a month can be dropped once its parked deliveries are cancelled. */
const SUMMARIES: Record<RetentionStep, string> = {
  parked_deliveries: 'Cancel parked deliveries of expired events',
  partitions: 'Drop expired months of events, deliveries, attempts and clicks',
  late_webhook_rows: 'Delete expired rows outside of months',
  rail_notifications: 'Delete expired provider notifications',
  mails: 'Delete expired mails',
  clicks: 'Delete expired clicks, program by program',
};

/** Removes what is older than its retention period and not open. What is left after 500 rounds waits for the next run. */
export async function retention(): Promise<Record<RetentionStep, number>> {
  const removed: Record<RetentionStep, number> = {
    parked_deliveries: 0,
    partitions: 0,
    late_webhook_rows: 0,
    rail_notifications: 0,
    mails: 0,
    clicks: 0,
  };
  const { removeExpired } = activitiesOn<RetentionActivities>(QUEUES.reviews, database);
  for (const step of RETENTION_STEPS) {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result = await removeExpired.executeWithOptions({ summary: SUMMARIES[step] }, [{ step }]);
      removed[step] += result.removed;
      if (!result.more) break;
    }
  }
  return removed;
}
