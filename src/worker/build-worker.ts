import { type Config, metricsAddress } from '../config.ts';
import { type PayoutTiming, QUEUES } from '../contracts/workflows.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { deleteExpiredIdempotencyRecords } from '../platform/idempotency/idempotency.ts';
import { listenForMetrics } from '../platform/metrics/listen-for-metrics.ts';
import { repeat } from '../platform/repeat.ts';
import { createDispatch } from '../relay/dispatch.ts';
import { createRelay, type Relay } from '../relay/relay.ts';
import { routeOf } from '../relay/routing.ts';
import { openTemporal, type TemporalClient } from '../relay/temporal-client.ts';
import type { Runtime } from '../runtime.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import { listenForHealth } from './health.ts';
import { ensureSchedules } from './schedules.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import { readTemporalMetrics } from './temporal-metrics.ts';
import { installTemporalRuntime, startTemporalWorkers } from './temporal-workers.ts';

export interface WorkerOptions {
  /** Replaces the production timing of payout workflows. */
  timing?: PayoutTiming;
  /** How long the relay waits before it reads an empty outbox again. */
  pollMs?: number;
}

export interface Worker {
  relay: Relay;
  temporal: TemporalClient;
  /** Starts what the configured roles need; resolves once the health endpoint listens. */
  start(): Promise<void>;
  /** Stops claiming and polling, lets running activities finish, then closes. */
  close(): Promise<void>;
}

/** Assembles the worker process; nothing runs before `start`. While Temporal is unavailable, the worker retries. */
export const buildWorker = (runtime: Runtime, config: Config, options: WorkerOptions = {}): Worker => {
  const { log } = runtime;
  const has = (role: string) => config.WORKER_ROLES.some((enabled) => enabled === role);
  installTemporalRuntime(log);
  const temporal = openTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  });
  const { timing, pollMs } = options;
  const relay = createRelay({
    orm: runtime.orm,
    ids: runtime.ids,
    log,
    dispatch: createDispatch(temporal.client, config.TEMPORAL_QUEUE_PREFIX),
    ...(timing ? { route: (entry) => routeOf(entry, timing) } : {}),
    ...(pollMs === undefined ? {} : { pollMs }),
  });
  const closers: (() => Promise<unknown>)[] = [];

  return {
    relay,
    temporal,
    async start() {
      let relaying = has('relay');
      const relayed = relaying
        ? relay.run().finally(() => {
            relaying = false;
          })
        : Promise.resolve();
      const workers = startTemporalWorkers(runtime, config, Object.values(QUEUES).filter(has));
      const health = await listenForHealth(
        { orm: runtime.orm, isPolling: workers.isPolling, isRelaying: () => relaying || !has('relay') },
        { host: config.WORKER_HEALTH_HOST, port: config.WORKER_HEALTH_PORT },
      );
      addDatabaseMetrics(runtime.metrics.registry, runtime.orm, log);
      const metrics = await listenForMetrics(runtime.metrics.registry, metricsAddress(config, 'worker'), readTemporalMetrics);
      const stopSchedules = repeat(MINUTE_MS, log, 'ensuring schedules', () =>
        ensureSchedules(temporal.client, {
          releaseIntervalSeconds: config.COMMISSION_RELEASE_INTERVAL_SECONDS,
          queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
        }),
      );
      let hasSearchAttributes = false;
      const stopSearchAttributes = repeat(MINUTE_MS, log, 'ensuring search attributes', async () => {
        if (!hasSearchAttributes) await ensureSearchAttributes(temporal, log);
        hasSearchAttributes = true;
      });
      const stopCleaning = repeat(MINUTE_MS, log, 'deleting expired idempotency records', () =>
        deleteExpiredIdempotencyRecords(runtime.context({ kind: 'system', name: 'housekeeping' })),
      );
      closers.push(async () => {
        stopSchedules();
        stopSearchAttributes();
        stopCleaning();
        relay.stop();
        await Promise.all([relayed, workers.stop()]);
      }, metrics.close);
      closers.push(health.close.bind(health));
      log.info({ roles: config.WORKER_ROLES, metricsUrl: metrics.url }, 'worker started');
    },
    async close() {
      for (const close of closers.splice(0)) await close();
      await temporal.close();
    },
  };
};
