import closeWithGrace from 'close-with-grace';
import { installTemporalRuntime, startTemporalWorkers } from '../activities/temporal-workers.ts';
import { loadConfig } from '../src/config.ts';
import { QUEUES } from '../src/contracts/workflows.ts';
import { MINUTE_MS } from '../src/platform/clock.ts';
import { every } from '../src/platform/every.ts';
import { armFaultPoints } from '../src/platform/fault-points.ts';
import { forgetOldAnswers } from '../src/platform/idempotency/idempotency.ts';
import { createDispatch } from '../src/relay/dispatch.ts';
import { listenForHealth } from '../src/relay/health.ts';
import { createRelay } from '../src/relay/relay.ts';
import { ensureSchedules } from '../src/relay/schedules.ts';
import { openTemporal } from '../src/relay/temporal-client.ts';
import { openRuntime } from '../src/runtime.ts';

const config = loadConfig(process.env);
armFaultPoints(config.FAULT_POINTS);
const runtime = await openRuntime(config, 'worker');
// Read by Temporal's core. At a stop it asks for nothing more, and waits this long for what the server is just handing over:
// given up at once, such a step would be lost until its time is up.
process.env['TEMPORAL_POLL_SHUTDOWN_INTERRUPT_WAIT_MS'] ??= '5000';
installTemporalRuntime(runtime);
const has = (role: string) => config.WORKER_ROLES.some((given) => given === role);

const temporal = openTemporal({
  address: config.TEMPORAL_ADDRESS,
  namespace: config.TEMPORAL_NAMESPACE,
  apiKey: config.TEMPORAL_API_KEY,
  tls: config.TEMPORAL_TLS,
});
const relay = createRelay({
  orm: runtime.orm,
  ids: runtime.ids,
  log: runtime.log,
  dispatch: createDispatch(temporal.client, config.TEMPORAL_QUEUE_PREFIX),
});
const relayed = has('relay') ? relay.run() : Promise.resolve();
const workers = startTemporalWorkers(runtime, config, Object.values(QUEUES).filter(has));
const health = await listenForHealth(runtime.orm, config.WORKER_HEALTH_PORT);
const stopSchedules = every(MINUTE_MS, runtime.log, 'making sure of the schedules', () =>
  ensureSchedules(temporal.client, {
    releaseEverySeconds: config.RELEASE_EVERY_SECONDS,
    queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
  }),
);
const stopCleaning = every(MINUTE_MS, runtime.log, 'forgetting old idempotent answers', () =>
  forgetOldAnswers(runtime.context({ kind: 'system', name: 'housekeeping' })),
);
runtime.log.info({ roles: config.WORKER_ROLES }, 'the worker runs');

closeWithGrace({ delay: 45_000, logger: runtime.log }, async ({ err }) => {
  if (err) runtime.log.error({ err }, 'the worker stops because of a fault');
  stopSchedules();
  stopCleaning();
  relay.stop();
  await Promise.all([relayed, workers.stop()]);
  await temporal.close();
  await health.close();
  await runtime.close();
});
