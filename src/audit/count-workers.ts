import { MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import { type TemporalClient, withDeadline } from '../relay/temporal-client.ts';

/** A worker polls at least once a minute. The server lists pollers for five minutes. */
const POLLED_WITHIN_MS = 2 * MINUTE_MS;
/** Every worker with queues of activities serves that of workflows, too. */
const ACTIVITY_TASKS = 2;

/** Workers that poll a task queue for activities. */
export const countWorkers = async (client: TemporalClient['client'], taskQueue: string): Promise<number> => {
  const { pollers } = await withDeadline(client, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: ACTIVITY_TASKS,
    }),
  );
  const isRecent = (seconds: unknown) => Date.now() - Number(seconds ?? 0) * SECOND_MS < POLLED_WITHIN_MS;
  const recent = (pollers ?? []).filter(({ lastAccessTime }) => isRecent(lastAccessTime?.seconds));
  return new Set(recent.map(({ identity }) => identity)).size;
};
