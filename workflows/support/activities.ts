import * as wf from '@temporalio/workflow';
import { QUEUES, type Queue } from '../../src/contracts/workflows/queues.ts';

/**
 * Activities that run on a task queue of their own; call it inside a workflow. All workflows share the queue `workflows`, so
 * that a process needs one sandbox. On a queue of another name, activities are on the queue of the workflow.
 */
export const activitiesOn = <A>(queue: Queue, options: wf.ActivityOptions): wf.ActivityInterfaceFor<A> => {
  const own = wf.workflowInfo().taskQueue;
  if (!own.endsWith(QUEUES.workflows)) return wf.proxyActivities<A>(options);
  return wf.proxyActivities<A>({ ...options, taskQueue: own.slice(0, -QUEUES.workflows.length) + queue });
};

/**
 * Every proxy uses one of these, so that no activity runs with default timeouts and retries. Business errors are marked as
 * non-retryable where they are thrown; every other error is retried.
 *
 * `WAIT_CANCELLATION_COMPLETED`: a cancelled workflow waits for the outcome of a running step. No step is interrupted, because
 * the outcome of an interrupted one is unknown. Steps that may take longer than 10 seconds send heartbeats
 * (`activities/support/heartbeats.ts`), so that a step of a dead worker is repeated soon.
 */

/** An activity that uses only the database. */
export const database = {
  startToCloseTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '20s' },
} as const satisfies wf.ActivityOptions;

/** An activity that calls a payment provider. The deadlines of its calls are well below this timeout. */
export const partner = {
  startToCloseTimeout: '30s',
  heartbeatTimeout: '15s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '20s' },
} as const satisfies wf.ActivityOptions;

/** A comparison of the books with a provider's list, of hundreds of calls at most. Failures of the provider are results. */
export const comparison = {
  startToCloseTimeout: '30m',
  heartbeatTimeout: '15s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '10s', backoffCoefficient: 2, maximumInterval: '5m' },
} as const satisfies wf.ActivityOptions;

/** Reads and writes files in folders: a pass takes about 20 seconds, and one more import. */
export const folders = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '15s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
} as const satisfies wf.ActivityOptions;

/** One try to send a mail: 25 s at most. A try that the mail server refused is no error; the workflow waits for the next one. */
export const mail = {
  startToCloseTimeout: '60s',
  heartbeatTimeout: '15s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
} as const satisfies wf.ActivityOptions;

/**
 * A webhook attempt: 20 s at most, and each failure carries its own retry delay. The intervals here apply to our own
 * errors. The schedule-to-close timeout is far above the longest schedule.
 */
export const delivery = {
  startToCloseTimeout: '30s',
  heartbeatTimeout: '15s',
  scheduleToCloseTimeout: '7d',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
} as const satisfies wf.ActivityOptions;

/**
 * A lane that sends runs for about a minute. A lost process is noticed by its missing heartbeats; another one takes the lane over.
 */
export const lane = {
  startToCloseTimeout: '120s',
  heartbeatTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' },
} as const satisfies wf.ActivityOptions;

/**
 * A lane that sent nothing for a minute: each heartbeat is an action of Temporal, so there are few. A lost process is still noticed
 * within a minute.
 */
export const idleLane = { ...lane, startToCloseTimeout: '13m', heartbeatTimeout: '45s' } as const satisfies wf.ActivityOptions;
