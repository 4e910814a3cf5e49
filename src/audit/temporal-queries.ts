import pMap from 'p-map';
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

/** Temporal's name of the status, or `missing`. */
type WorkflowStatus = string;

const MAX_CONCURRENT = 16;

/** Describes each workflow by its id: the visibility list of Temporal is eventually consistent. */
export const listWorkflowStatuses = async (
  client: TemporalClient['client'],
  ids: readonly string[],
): Promise<Map<string, WorkflowStatus>> =>
  new Map(await pMap(ids, async (id) => [id, await statusOf(client, id)] as const, { concurrency: MAX_CONCURRENT }));

const statusOf = async (client: TemporalClient['client'], id: string): Promise<WorkflowStatus> => {
  try {
    return (await client.workflow.getHandle(id).describe()).status.name;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'missing';
    throw error;
  }
};

const MAX_LISTED = 10_000;

/** Ids of running workflows of a type, the newest first. */
export const listRunning = async (client: TemporalClient['client'], type: string): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({
    query: `ExecutionStatus = "Running" and WorkflowType = "${type}"`,
    pageSize: 1_000,
  })) {
    ids.push(workflowId);
    if (ids.length === MAX_LISTED) break;
  }
  return ids;
};
