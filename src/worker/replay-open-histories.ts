import { availableParallelism } from 'node:os';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { bundleWorkflowCode, type ReplayWorkerOptions, Runtime, Worker } from '@temporalio/worker';
import { withDeadline } from '../relay/temporal-client.ts';
import { createSample, type OpenExecution } from './replay-sample.ts';

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
  /** Open workflows that were left out, by type: those that started in the same weeks as others were. */
  notChecked: Readonly<Record<string, number>>;
  /** Workflows that could not go on with this code. */
  failed: readonly { workflowId: string; runId: string; error: string }[];
}

/** More are not listed: the oldest would not be known. */
const MAX_LISTED = 1_000_000;
const MAX_THREADS = 4;

/** Replays histories of open workflows with other code than the running one. Changes nothing. */
export const replayOpenHistories = async ({ client, queuePrefix, workflows }: ReplayOptions): Promise<ReplayReport> => {
  const samples = await sampleOpen(client, queuePrefix);
  const replayed: Record<string, number> = {};
  const notChecked: Record<string, number> = {};
  const failed: { workflowId: string; runId: string; error: string }[] = [];
  for (const [type, sample] of samples) {
    replayed[type] = 0;
    notChecked[type] = sample.open() - sample.chosen().length;
  }
  const queue = [...samples.values()].flatMap((sample) => sample.chosen()).values();
  const options = workflows.workflowsPath
    ? { workflowBundle: await bundleWorkflowCode({ workflowsPath: workflows.workflowsPath, logger: Runtime.instance().logger }) }
    : workflows;
  const replay = async (): Promise<void> => {
    for await (const { workflowId, runId, error } of Worker.runReplayHistories(options, historiesOf(client, queue, replayed)))
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
async function* historiesOf(client: Client, queue: Iterator<OpenExecution>, replayed: Record<string, number>) {
  for (let next = queue.next(); !next.done; next = queue.next()) {
    const { type, workflowId, runId } = next.value;
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
