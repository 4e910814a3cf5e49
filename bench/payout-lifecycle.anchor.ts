import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { performRequests } from './support/program.ts';

/** One worker, and a client that keeps workflows running: the cost of Temporal itself. */
const { TEMPORAL_ADDRESS: address = '' } = process.env;
const taskQueue = 'bench-anchor';

let onEnd: () => void = () => {};
Runtime.install({ shutdownSignals: [], logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('payout-lifecycle.workflows.ts', import.meta.url)),
  activities: { nothing: async () => {} },
  sinks: { bench: { ended: { fn: () => onEnd(), callDuringReplay: false } } },
  // As in src/worker.
  maxConcurrentActivityTaskExecutions: 20,
  maxCachedWorkflows: 300,
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });
let serial = 0;

const run = async ({ steps, count, inFlight }: RunRequest): Promise<number> => {
  const since = performance.now();
  let ended = 0;
  let wake = (): void => {};
  onEnd = () => {
    ended++;
    wake();
  };
  for (let started = 0; started < count; started++) {
    while (started - ended >= inFlight) await new Promise<void>((resolve) => (wake = resolve));
    // Not awaited: workflows are started concurrently, as by the relay.
    void client.workflow.start('steps', { taskQueue, workflowId: `anchor-${process.pid}-${++serial}`, args: [steps] });
  }
  while (ended < count) await new Promise<void>((resolve) => (wake = resolve));
  return (performance.now() - since) / 1000;
};

export interface RunRequest {
  /** Activities of each workflow. */
  steps: number;
  count: number;
  inFlight: number;
}

performRequests<RunRequest>(async (request) => ({ seconds: await run(request) }));
