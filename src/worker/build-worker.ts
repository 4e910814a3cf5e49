import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { type Config, metricsAddress, temporalAccess } from '../config.ts';
import { FLAG_TIMING, type FlagTiming } from '../contracts/flags.ts';
import { MAIL_TIMING, type MailTiming } from '../contracts/mail.ts';
import { RUN_TIMING, type RunTiming } from '../contracts/workflows/payout-runs.ts';
import type { PayoutTiming } from '../contracts/workflows/payouts.ts';
import { PAYOUT_TIMING } from '../contracts/workflows/payouts.ts';
import { queuesOf, type WorkerRole } from '../contracts/workflows/queues.ts';
import type { WorkflowLinks } from '../contracts/workflows/text.ts';
import { listUrl } from '../contracts/workflows/views.ts';
import { SECOND_MS } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { listenForMetrics } from '../platform/metrics/listen-for-metrics.ts';
import type { Runtime } from '../runtime.ts';
import { openTemporal, type TemporalClient } from '../temporal/client.ts';
import { checkDatabaseMark } from '../temporal/database-marks.ts';
import { FAILING_MS } from '../temporal/failing-workflows.ts';
import { createDispatch } from '../temporal/relay/dispatch.ts';
import { createReconciler, type Reconciler } from '../temporal/relay/reconciler.ts';
import { createRelay, type Relay } from '../temporal/relay/relay.ts';
import { routeOf } from '../temporal/relay/routing.ts';
import { addDatabaseMetrics } from './database-metrics.ts';
import { listenForHealth } from './health.ts';
import { startPeriodicJobs } from './periodic-jobs.ts';
import { readTemporalMetrics } from './temporal-metrics.ts';
import type { TemporalTracing } from './temporal-tracing.ts';
import { installTemporalRuntime, startTemporalWorkers } from './temporal-workers.ts';

export interface WorkerOptions {
  /** Replaces the production timing of payout workflows. */
  timing?: PayoutTiming;
  /** Replaces the production timing of payout runs. */
  runTiming?: RunTiming;
  /** Replaces the production timing of flag workflows. */
  flagTiming?: FlagTiming;
  /** Replaces the production timing of mails. */
  mailTiming?: MailTiming;
  /** How long the relay waits before it reads an empty outbox again. */
  pollMs?: number;
  /** How often lost workflows are looked for, and how old their work must be. */
  reconcile?: { everyMs: number; graceMs: number; failingMs?: number };
  /** Null: nothing is traced. */
  tracing?: TemporalTracing | null;
}

const RECONCILE: WorkerOptions['reconcile'] & object = { everyMs: 20 * SECOND_MS, graceMs: 15 * SECOND_MS };

const linksOf = ({ PUBLIC_URL, TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: Config): WorkflowLinks => ({
  api: `${PUBLIC_URL.replace(/\/$/, '')}/api/v1`,
  workflows: TEMPORAL_UI_URL ? listUrl(TEMPORAL_UI_URL, TEMPORAL_NAMESPACE) : null,
});

/** Again and again while Temporal or the database is away: until then nothing may be sent. Ends when the process stops. */
const untilMarked = async (marks: () => Promise<void>, { log, signal }: { log: Logger; signal: AbortSignal }): Promise<void> => {
  while (!signal.aborted) {
    try {
      return await marks();
    } catch (err) {
      log.warn({ err }, 'the database is not compared with its mark yet, nothing is sent');
      await sleep(SECOND_MS, undefined, { signal }).catch(() => {});
    }
  }
};

const addReconcilerMetric = (registry: Registry, reconciler: Reconciler): void => {
  new Gauge({
    name: 'tributary_reconciler_cycle_seconds',
    help: 'Since the last complete search for open work without a workflow began. One process searches at a time: use `min`',
    registers: [registry],
    collect() {
      this.set(reconciler.cycleMs() / SECOND_MS);
    },
  });
};

export interface Worker {
  relay: Relay;
  reconciler: Reconciler;
  temporal: TemporalClient;
  /** Starts what the configured roles need; resolves once the health endpoint listens. */
  start(): Promise<void>;
  /** Stops leasing and polling, lets running activities finish, then closes. */
  close(): Promise<void>;
}

/** Assembles the worker process; nothing runs before `start`. While Temporal is unavailable, the worker retries. */
export const buildWorker = (runtime: Runtime, config: Config, options: WorkerOptions = {}): Worker => {
  const { log } = runtime;
  const { applicationTiming, scaled } = runtime.settings;
  const { timing = scaled(PAYOUT_TIMING), runTiming = scaled(RUN_TIMING) } = options;
  const { flagTiming = scaled(FLAG_TIMING), mailTiming = MAIL_TIMING } = options;
  const { pollMs, reconcile = RECONCILE, tracing = null } = options;
  const has = (role: WorkerRole) => config.WORKER_ROLES.includes(role);
  installTemporalRuntime(log);
  const temporal = openTemporal(temporalAccess(config), tracing ? [tracing.client] : []);
  const queuePrefix = config.TEMPORAL_QUEUE_PREFIX;
  const routeSettings = { timing, runTiming, applicationTiming, flagTiming, mailTiming, links: linksOf(config) };
  const relay = createRelay({
    orm: runtime.orm,
    ids: runtime.ids,
    log,
    dispatch: createDispatch(temporal.clients, queuePrefix),
    route: (entry) => routeOf(entry, routeSettings),
    ...(pollMs === undefined ? {} : { pollMs }),
  });
  const reconciler = createReconciler({
    clients: temporal.clients,
    sources: runtime.unfinished,
    queuePrefix,
    context: () => runtime.context({ kind: 'system', name: 'reconciler' }),
    graceMs: reconcile.graceMs,
    failingMs: reconcile.failingMs ?? FAILING_MS,
  });
  const closers: (() => Promise<unknown>)[] = [];

  const marks = () =>
    checkDatabaseMark({
      ...{ orm: runtime.orm, clients: temporal.clients, queuePrefix, log },
      hold: (cause) => runtime.holdPayments(runtime.context({ kind: 'system', name: 'databaseMarks' }), { cause }),
    });

  return {
    relay,
    reconciler,
    temporal,
    async start() {
      let relaying = has('relay');
      // Nothing is dispatched or sent before a restored database was noticed.
      const stopping = new AbortController();
      const marked = untilMarked(marks, { log, signal: stopping.signal });
      const relayed = relaying
        ? marked
            .then(() => relay.run())
            .finally(() => {
              relaying = false;
            })
        : Promise.resolve();
      const workers = startTemporalWorkers(runtime, config, { queues: queuesOf(config.WORKER_ROLES), tracing, ready: marked });
      const health = await listenForHealth(
        { orm: runtime.orm, isPolling: workers.isPolling, isRelaying: () => relaying || !has('relay') },
        { host: config.WORKER_HEALTH_HOST, port: config.WORKER_HEALTH_PORT },
      );
      addDatabaseMetrics(runtime.metrics.registry, runtime.orm, log);
      if (relaying) addReconcilerMetric(runtime.metrics.registry, reconciler);
      const metrics = await listenForMetrics(runtime.metrics.registry, metricsAddress(config, 'worker'), readTemporalMetrics);
      const stopJobs = startPeriodicJobs({ runtime, config, temporal, reconciler, reconcileEveryMs: reconcile.everyMs, marks });
      closers.push(async () => {
        stopJobs();
        stopping.abort();
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
