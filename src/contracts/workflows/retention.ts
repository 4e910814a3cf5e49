import type { WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';

/** In the order in which the workflow takes them. */
export const RETENTION_STEPS = [
  'parked_deliveries',
  'partitions',
  'late_webhook_rows',
  'rail_notifications',
  'mails',
  'clicks',
] as const;
export type RetentionStep = (typeof RETENTION_STEPS)[number];

export interface RetentionResult {
  /** Rows, or partitions in the step `partitions`. */
  removed: number;
  /** Names of the partitions that were dropped. */
  partitions: string[];
  /** True when more may have expired. */
  more: boolean;
}

export interface RetentionActivities {
  /** Removes expired rows in batches for about 5 seconds. */
  removeExpired(input: { step: RetentionStep }): Promise<RetentionResult>;
}

const HOUR = 3_600_000;

export const retention = {
  type: 'retention',
  namespace: 'background',
  queues: [QUEUES.reviews],
  schedule: {
    id: 'retention',
    interval: { every: 24 * HOUR, offset: 3 * HOUR },
    catchupWindow: '1 day',
    summary: 'Remove expired data',
    details: 'Daily at 03:00 UTC. Pause its Schedule to keep all data.',
  },
} as const satisfies WorkflowDescriptor;
