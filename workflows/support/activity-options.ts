import type { ActivityOptions } from '@temporalio/workflow';

/**
 * Retry profiles. Every proxy uses one, so that no activity runs with settings nobody chose. Business errors say
 * themselves that they are final; all others are faults of ours or of others, and are tried again.
 */

/** A step that touches nothing but our database. */
export const database = {
  startToCloseTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '20s' },
} as const satisfies ActivityOptions;

/** A step that asks another company's service. Its own deadlines end well before this one. */
export const partner = {
  startToCloseTimeout: '30s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '20s' },
} as const satisfies ActivityOptions;

/**
 * A webhook attempt: 20 s at most, and each failure says itself how long to wait. The intervals here are for faults of
 * our own. The last bound is a fuse far above the longest schedule.
 */
export const delivery = {
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '7d',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
} as const satisfies ActivityOptions;
