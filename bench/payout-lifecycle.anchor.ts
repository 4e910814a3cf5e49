import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** One worker, and a client that keeps workflows under way: what Temporal itself costs. */
const { TEMPORAL_ADDRESS: address = '' } = process.env;
const taskQueue = 'bench-anchor';

let onEnd: () => void = () => {};
Runtime.install({ shutdownSignals: [], logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('p9-workflows.ts', import.meta.url)),
  activities: { nothing: async () => {} },
  sinks: { told: { ended: { fn: () => onEnd(), callDuringReplay: false } } },
  // As bin/worker.ts.
  maxConcurrentActivityTaskExecutions: 20,
  maxCachedWorkflows: 300,
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });
let serial = 0;

const run = async ({ workflow, args, count, inFlight }: Order): Promise<number> => {
  const since = performance.now();
  let ended = 0;
  let wake = (): void => {};
  onEnd = () => {
    ended++;
    wake();
  };
  for (let begun = 0; begun < count; begun++) {
    while (begun - ended >= inFlight) await new Promise<void>((resolve) => (wake = resolve));
    // Not waited for: they begin side by side, as the relay begins them.
    void client.workflow.start(workflow, { taskQueue, workflowId: `anchor-${process.pid}-${++serial}`, args });
  }
  while (ended < count) await new Promise<void>((resolve) => (wake = resolve));
  return (performance.now() - since) / 1000;
};

export interface Order {
  workflow: 'steps' | 'empty';
  args: unknown[];
  count: number;
  inFlight: number;
}

process.on('message', (order) => {
  if (order === 'cpu') return;
  void run(order as Order).then((seconds) => process.send?.({ seconds }));
});
process.send?.('ready');
