import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import { MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import { type Clients, distinctClients, withLongDeadline } from './client.ts';

/** A task that failed for so long is not helped by another try, or by a worker that is being replaced. */
export const FAILING_MS = 5 * MINUTE_MS;
/** More are found in the next round. */
const MAX_FAILING = 100;
const CONCURRENCY = 8;

export interface FailingWorkflow {
  namespace: string;
  workflowId: string;
  runId: string;
  /** How often its task was tried. */
  attempts: number;
}

/** Open workflows that cannot go on: their task has failed for `forMs`. Throws on a server that cannot report such problems. */
export const listFailing = async (clients: Clients, queuePrefix: string, forMs = FAILING_MS): Promise<FailingWorkflow[]> => {
  const found: FailingWorkflow[] = [];
  for (const client of distinctClients(clients)) found.push(...(await listFailingOf(client, queuePrefix, forMs)));
  return found;
};

const listFailingOf = async (client: Client, queuePrefix: string, forMs: number): Promise<FailingWorkflow[]> => {
  const ofQueues = queuePrefix === '' ? '' : ` and TaskQueue STARTS_WITH "${queuePrefix}"`;
  const query = `ExecutionStatus = "Running" and TemporalReportedProblems in ("category=WorkflowTaskFailed")${ofQueues}`;
  const found = await withLongDeadline(client, async () => {
    const reported: { workflowId: string; runId: string }[] = [];
    for await (const execution of client.workflow.list({ query, pageSize: MAX_FAILING })) {
      reported.push(execution);
      if (reported.length === MAX_FAILING) break;
    }
    return reported;
  });
  // The list is eventually consistent; a description is not.
  const described = await pMap(found, (execution) => describeFailing(client, execution, forMs), { concurrency: CONCURRENCY });
  return described.filter((failing) => failing !== null);
};

const describeFailing = async (
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
  forMs: number,
): Promise<FailingWorkflow | null> => {
  const { status, raw } = await withLongDeadline(client, () => client.workflow.getHandle(workflowId, runId).describe());
  const task = raw.pendingWorkflowTask;
  const attempts = task?.attempt ?? 0;
  const sinceMs = Number(task?.originalScheduledTime?.seconds ?? 0) * SECOND_MS;
  const isFailing = status.name === 'RUNNING' && attempts > 1 && sinceMs > 0 && Date.now() - sinceMs >= forMs;
  return isFailing ? { namespace: client.options.namespace, workflowId, runId, attempts } : null;
};
