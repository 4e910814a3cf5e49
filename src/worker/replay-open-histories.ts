import { availableParallelism } from 'node:os';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { bundleWorkflowCode, type ReplayWorkerOptions, Runtime, Worker } from '@temporalio/worker';
import { type Clients, distinctClients, withDeadline } from '../temporal/client.ts';
import { createSample, type OpenExecution } from './replay-sample.ts';

export interface ReplayOptions {
  clients: Clients;
  /** Only workflows of these task queues. */
  queuePrefix: string;
  workflows: Pick<ReplayWorkerOptions, 'workflowBundle' | 'workflowsPath' | 'dataConverter'>;
}

export interface ReplayReport {
  ok: boolean;
  /** By type of workflow. */
  replayed: Readonly<Record<string, number>>;
  /** Open workflows that were left out, by type: those that started in the same weeks as others were. */
  notChecked: Readonly<Record<string, number>>;
  /** Workflows that could not go on with this code. */
  failed: readonly { workflowId: string; runId: string; error: string }[];
}

type FoundExecution = OpenExecution & { client: Client };

/** More are not listed: the oldest would not be known. */
const MAX_LISTED = 1_000_000;
const MAX_THREADS = 4;

/** Replays histories of open workflows with other code than the running one. Changes nothing. */
export const replayOpenHistories = async ({ clients, queuePrefix, workflows }: ReplayOptions): Promise<ReplayReport> => {
  const replayed: Record<string, number> = {};
  const notChecked: Record<string, number> = {};
  const failed: { workflowId: string; runId: string; error: string }[] = [];
  const found: FoundExecution[] = [];
  for (const client of distinctClients(clients)) {
    for (const [type, sample] of await sampleOpen(client, queuePrefix)) {
      const chosen = sample.chosen();
      replayed[type] = 0;
      notChecked[type] = (notChecked[type] ?? 0) + sample.open() - chosen.length;
      found.push(...chosen.map((execution) => ({ ...execution, client })));
    }
  }
  const queue = found.values();
  const { workflowsPath, ...rest } = workflows;
  const { logger } = Runtime.instance();
  const options = workflowsPath ? { ...rest, workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }) } : rest;
  const replay = async (): Promise<void> => {
    for await (const { workflowId, runId, error } of Worker.runReplayHistories(options, historiesOf(queue, replayed)))
      if (error) failed.push({ workflowId, runId, error: error.message });
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), MAX_THREADS) }, replay));
  return { ok: failed.length === 0, replayed, notChecked, failed };
};

const sampleOpen = async (client: Client, queuePrefix: string): Promise<Map<string, ReturnType<typeof createSample>>> => {
  const ofQueues = queuePrefix === '' ? '' : ` and TaskQueue STARTS_WITH "${queuePrefix}"`;
  const samples = new Map<string, ReturnType<typeof createSample>>();
  let listed = 0;
  for await (const execution of client.workflow.list({ query: `ExecutionStatus = "Running"${ofQueues}`, pageSize: 1_000 })) {
    if (++listed > MAX_LISTED) throw new Error(`more than ${MAX_LISTED} workflows are open: the oldest cannot be found`);
    const sample = samples.get(execution.type) ?? createSample();
    samples.set(execution.type, sample);
    sample.offer(execution);
  }
  return samples;
};

/** Takes from a queue that several readers share, and counts what it took in `replayed`. */
async function* historiesOf(queue: Iterator<FoundExecution>, replayed: Record<string, number>) {
  for (let next = queue.next(); !next.done; next = queue.next()) {
    const { client, type, workflowId, runId } = next.value;
    const handle = client.workflow.getHandle(workflowId, runId);
    const history = await withDeadline(client, () => handle.fetchHistory()).catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    });
    if (!history) continue;
    replayed[type] = (replayed[type] ?? 0) + 1;
    // Nothing was decided yet: any code can begin it.
    if (history.events?.some(({ workflowTaskCompletedEventAttributes: decided }) => decided)) yield { workflowId, history };
  }
}
