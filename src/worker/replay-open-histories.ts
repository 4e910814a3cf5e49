import type { Client } from '@temporalio/client';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';

export interface ReplayOptions {
  client: Client;
  /** Only workflows of these task queues. */
  queuePrefix: string;
  workflows: Pick<ReplayWorkerOptions, 'workflowBundle' | 'workflowsPath'>;
}

export interface ReplayReport {
  ok: boolean;
  /** By type of workflow. */
  replayed: Readonly<Record<string, number>>;
  /** Workflows that could not go on with this code. */
  failed: readonly { workflowId: string; runId: string; error: string }[];
}

/** Workflows of one type share their code, so that a sample is enough. */
const MAX_PER_TYPE = 50;
const MAX_LISTED = 100_000;

/** Replays histories of open workflows with other code than the running one. Changes nothing. */
export const replayOpenHistories = async ({ client, queuePrefix, workflows }: ReplayOptions): Promise<ReplayReport> => {
  const replayed: Record<string, number> = {};
  const failed: { workflowId: string; runId: string; error: string }[] = [];
  for await (const { workflowId, runId } of sampleOf(client, queuePrefix, replayed)) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    await Worker.runReplayHistory(workflows, history, workflowId).catch((error: Error) => {
      failed.push({ workflowId, runId, error: error.message });
    });
  }
  return { ok: failed.length === 0, replayed, failed };
};

/** The newest open workflows of each type, counted in `counts`. */
async function* sampleOf(client: Client, queuePrefix: string, counts: Record<string, number>) {
  const ofQueues = queuePrefix === '' ? '' : ` and TaskQueue STARTS_WITH "${queuePrefix}"`;
  let listed = 0;
  for await (const execution of client.workflow.list({ query: `ExecutionStatus = "Running"${ofQueues}`, pageSize: 1_000 })) {
    if (++listed > MAX_LISTED) return;
    const count = counts[execution.type] ?? 0;
    if (count >= MAX_PER_TYPE) continue;
    counts[execution.type] = count + 1;
    yield execution;
  }
}
