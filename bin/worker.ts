import closeWithGrace from 'close-with-grace';
import { loadConfig } from '../src/config.ts';
import { armFaultPoints } from '../src/platform/fault-points.ts';
import { addNodeMetrics } from '../src/platform/metrics/process-metrics.ts';
import { exitOnStartupError, orExit } from '../src/platform/startup-error.ts';
import { startTracing } from '../src/platform/tracing/start-tracing.ts';
import { openRuntime } from '../src/runtime.ts';
import { buildWorker } from '../src/worker/build-worker.ts';

// Completed activities hold slices of this pool for a while, each of a few bytes: with Node's 64 KiB they kept 15 MB in memory.
Buffer.poolSize = 8_192;
const config = orExit(() => loadConfig(process.env));
armFaultPoints(config.FAULT_POINTS);
// Read by Temporal's core: on shutdown it waits this long for tasks that the server is delivering. Without the wait, such an
// activity would start only after its timeout.
process.env['TEMPORAL_POLL_SHUTDOWN_INTERRUPT_WAIT_MS'] ??= '5000';
const runtime = await openRuntime(config, 'worker').catch(exitOnStartupError);
addNodeMetrics(runtime.metrics.registry);
const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
const tracing = await startTracing({ endpoint, service: 'tributary-worker', log: runtime.log });
// Brings the tracing SDK, so it is loaded only while tracing is on.
const temporalTracing = tracing && (await import('../src/worker/temporal-tracing.ts')).createTemporalTracing(tracing);
const worker = buildWorker(runtime, config, { tracing: temporalTracing });
await worker.start().catch(exitOnStartupError);

closeWithGrace({ delay: 45_000, logger: runtime.log }, async ({ err }) => {
  if (err) runtime.log.error({ err }, 'worker stops after an uncaught error');
  await worker.close();
  await runtime.close();
  await tracing?.close();
});
