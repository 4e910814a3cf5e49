import pMap from 'p-map';
import { namespacesOf, WORKFLOWS, type WorkflowType } from '../contracts/workflows/index.ts';
import type { Queue } from '../contracts/workflows/queues.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import { type Client, type Clients, withDeadline } from '../temporal/client.ts';

/** A worker polls at least once a minute. The server lists pollers for five minutes. */
const POLLED_WITHIN_MS = 2 * MINUTE_MS;
/** Every worker with queues of activities serves that of workflows, too. */
const ACTIVITY_TASKS = 2;

/** Workers that poll a task queue for activities, where they are fewest of all namespaces that have its work. */
export const countWorkers = async (clients: Clients, queuePrefix: string, queue: Queue): Promise<number> =>
  Math.min(...(await Promise.all(namespacesOf(queue).map((name) => countWorkersOf(clients[name], queuePrefix + queue)))));

const countWorkersOf = async (client: Client, taskQueue: string): Promise<number> => {
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

export interface WorkflowOfType {
  type: WorkflowType;
  id: string;
}

/** Temporal's name of the status, or `missing`. */
type WorkflowStatus = string;

const MAX_CONCURRENT = 16;

/** Describes each workflow by its id: the visibility list of Temporal is eventually consistent. By id. */
export const listWorkflowStatuses = async (
  clients: Clients,
  workflows: readonly WorkflowOfType[],
): Promise<Map<string, WorkflowStatus>> =>
  new Map(
    await pMap(workflows, async ({ type, id }) => [id, await statusOf(clients[WORKFLOWS[type].namespace], id)] as const, {
      concurrency: MAX_CONCURRENT,
    }),
  );

const statusOf = async (client: Client, id: string): Promise<WorkflowStatus> => {
  try {
    return (await client.workflow.getHandle(id).describe()).status.name;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'missing';
    throw error;
  }
};

const MAX_LISTED = 10_000;

/** Ids of workflows of a type that have been running since before that time, the newest first. */
export const listRunning = async (clients: Clients, type: WorkflowType, since: string): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { workflowId } of clients[WORKFLOWS[type].namespace].workflow.list({
    query: `ExecutionStatus = "Running" and WorkflowType = "${type}" and StartTime < "${since}"`,
    pageSize: 1_000,
  })) {
    ids.push(workflowId);
    if (ids.length === MAX_LISTED) break;
  }
  return ids;
};
