import { bundleWorkflowCode, Runtime as TemporalRuntime, Worker, type WorkerOptions } from '@temporalio/worker';
import { activitiesOf } from '../../activities/index.ts';
import { type Config, temporalAccess } from '../config.ts';
import { DELIVERY_EXHAUSTED, LANE_SLOTS } from '../contracts/webhooks.ts';
import type { Namespace } from '../contracts/workflows/descriptor.ts';
import { namespacesOf } from '../contracts/workflows/index.ts';
import { PAYOUT_FAILED } from '../contracts/workflows/payouts.ts';
import { isRailQueue, QUEUES, type Queue } from '../contracts/workflows/queues.ts';
import type { Logger } from '../platform/logger.ts';
import type { Runtime } from '../runtime.ts';
import type { TemporalAccess } from '../temporal/access.ts';
import { dataConverterOf } from '../temporal/payload-codec.ts';
import { openWorkerConnection, type WorkerConnection } from '../temporal/worker-connection.ts';
import { deploymentOf } from '../temporal/worker-versions.ts';
import { withTemporalMetrics } from './temporal-metrics.ts';
import type { TemporalTracing } from './temporal-tracing.ts';

export interface TemporalWorkers {
  /** Whether the workers of all queues poll. */
  isPolling(): boolean;
  /** Lets running activities finish, then closes. */
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
const WORKFLOWS = new URL('../../workflows/index.ts', import.meta.url).pathname;

/** The fields of an SDK message that may be logged: others can contain inputs and results. */
const metaOf = (meta: Readonly<Record<string, unknown>> | undefined) => ({
  workflowId: meta?.['workflowId'],
  activity: meta?.['activityType'],
  attempt: meta?.['attempt'],
});

type Meta = Readonly<Record<string, unknown>> | undefined;

/** Failures that are results (BENIGN). */
const RESULTS = [PAYOUT_FAILED, DELIVERY_EXHAUSTED] as const;

/**
 * What is expected although the SDK warns of it. The error of a workflow that ended as Failed comes from another thread, which
 * passes on no more than message and stack. And a payout may end before the step that sent it returns.
 */
const isExpected = (message: string, meta: Meta): boolean => {
  const error = meta?.['error'] as { stack?: string } | undefined;
  if (message === 'Workflow failed') return RESULTS.some((type) => (error?.stack ?? '').startsWith(`${type}:`));
  return message.startsWith('Activity not found on completion');
};

let log: Logger | null = null;

const warn = (message: string, meta: Meta): void =>
  isExpected(message, meta) ? log?.debug(metaOf(meta), message) : log?.warn(metaOf(meta), message);

/** Must run before the first connection of a process; later calls only replace the log. The process handles signals itself. */
export const installTemporalRuntime = (logger: Logger): void => {
  const isInstalled = log !== null;
  log = logger;
  if (isInstalled) return;
  withTemporalMetrics((telemetryOptions) =>
    TemporalRuntime.install({
      shutdownSignals: [],
      telemetryOptions,
      logger: {
        // With forwarded messages of the core, all others come this way too.
        log: (level, message, meta) => {
          if (level === 'ERROR') log?.error(metaOf(meta), message);
          else if (level === 'WARN') warn(message, meta);
          else log?.debug(metaOf(meta), message);
        },
        trace: (message) => log?.trace(message),
        debug: (message, meta) => log?.debug(metaOf(meta), message),
        info: (message) => log?.debug(message),
        warn,
        error: (message, meta) => log?.error(metaOf(meta), message),
      },
    }),
  );
};

/** Starts the workers of the queues. While Temporal is unavailable, retries until it connects or `stop` is called. */
export const startTemporalWorkers = (
  runtime: Runtime,
  config: Config,
  { queues, tracing, ready }: { queues: readonly Queue[]; tracing: TemporalTracing | null; ready?: Promise<void> },
): TemporalWorkers => {
  const access = temporalAccess(config);
  const polls = pollsOf(queues, access);
  let running = true;
  const stopping = new AbortController();
  const workers: Worker[] = [];
  let connection: WorkerConnection | null = null;

  const connect = async (): Promise<WorkerConnection | null> => {
    while (running) {
      try {
        return await openWorkerConnection(access, runtime.log);
      } catch (err) {
        runtime.log.warn({ err }, 'temporal unavailable, retrying');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    return null;
  };

  const run = async (): Promise<void> => {
    await ready;
    connection = await connect();
    if (!connection) return;
    // A worker that only relays needs none.
    const workflows = queues.length > 0 ? await workflowsOf(runtime, config, tracing) : {};
    for (const { namespace, queue, cacheShare } of polls) {
      if (!running) continue;
      const worker = await Worker.create({
        ...tracing?.worker,
        connection: connection.current(),
        namespace,
        dataConverter: dataConverterOf(access.payloadKeys),
        ...optionsOf(runtime, config, queue, stopping.signal),
        maxCachedWorkflows: Math.ceil(config.WORKER_CACHED_WORKFLOWS * cacheShare),
        ...versionOf(config),
        ...(queue === QUEUES.workflows ? workflows : {}),
      });
      connection.add(worker);
      workers.push(worker);
    }
    const runs = workers.map((worker) => worker.run());
    if (running) runtime.log.info({ queues }, 'temporal workers started');
    // Stopped meanwhile: only a worker that ran releases the connection.
    else for (const worker of workers) worker.shutdown();
    await Promise.all(runs);
  };
  const ended = run().catch((err: unknown) => {
    runtime.log.fatal({ err }, 'temporal workers failed');
    // A worker that cannot poll is useless: the supervisor restarts the process.
    if (running) process.kill(process.pid, 'SIGTERM');
  });

  return {
    isPolling: () => running && workers.length === polls.length && workers.every(isPolling),
    async stop() {
      running = false;
      stopping.abort();
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      await connection?.close();
    },
  };
};

/** Shares of the cached workflows: many payouts wait for a provider; background workflows continue immediately or much later. */
const CACHE_SHARES: Readonly<Record<Namespace, number>> = { finance: 0.75, background: 0.25 };

interface Poll {
  namespace: string;
  queue: Queue;
  cacheShare: number;
}

/** A queue is polled once in each namespace that has its work. */
const pollsOf = (queues: readonly Queue[], { namespaces }: TemporalAccess): Poll[] =>
  queues.flatMap((queue) =>
    [...Map.groupBy(namespacesOf(queue), (name) => namespaces[name])].map(([namespace, names]) => ({
      namespace,
      queue,
      cacheShare: names.reduce((sum, name) => sum + CACHE_SHARES[name], 0),
    })),
  );

const isPolling = (worker: Worker): boolean => {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  return runState === 'RUNNING' && ![workflowPollerState, activityPollerState].some((state) => state === 'FAILED');
};

/**
 * The prebuilt bundle, or one that is built once for all queues: a traced workflow needs other code around it than the
 * prebuilt bundle has.
 */
const workflowsOf = async (
  { log }: Runtime,
  config: Config,
  tracing: TemporalTracing | null,
): Promise<Partial<WorkerOptions>> => {
  if (config.WORKFLOW_BUNDLE && !tracing) return { workflowBundle: { codePath: config.WORKFLOW_BUNDLE } };
  if (tracing) log.info('workflows are bundled for tracing, and WORKFLOW_BUNDLE is not used');
  const { logger } = TemporalRuntime.instance();
  const workflowInterceptorModules = tracing?.workflowModules ?? [];
  return { workflowBundle: await bundleWorkflowCode({ workflowsPath: WORKFLOWS, workflowInterceptorModules, logger }) };
};

/**
 * Activities that run at the same time, where they wait for others most of the time and hold a database connection only
 * briefly. All others may hold one throughout, so the pool is divided among their queues. One worker can serve all lanes.
 */
const SLOTS: Partial<Record<Queue, number>> = {
  [QUEUES.webhookLanes]: LANE_SLOTS,
  [QUEUES.webhooks]: 500,
  // Each is a connection, of which mail servers allow few.
  [QUEUES.mail]: 5,
};

/**
 * A poll brings one task per round trip to Temporal: five bring 50 activities a second where it takes 100 ms. More are not open,
 * because a stopping worker can lose the task that each open poll is being given.
 */
const ACTIVITY_POLLS = 5;
/** A fifth of them for workflows that no worker has cached. */
const WORKFLOW_POLLS = 10;

const slotsOf = (queue: Queue, config: Config): number =>
  isRailQueue(queue) ? config.WORKER_MAX_RAIL_CALLS : (SLOTS[queue] ?? config.WORKER_MAX_ACTIVITIES);

const optionsOf = (runtime: Runtime, config: Config, queue: Queue, stopping: AbortSignal): WorkerOptions => ({
  taskQueue: config.TEMPORAL_QUEUE_PREFIX + queue,
  activities: activitiesOf(queue, runtime, stopping),
  identity: `${process.pid}@${queue}`,
  maxConcurrentActivityTaskExecutions: slotsOf(queue, config),
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: ACTIVITY_POLLS },
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: WORKFLOW_POLLS },
  stickyQueueScheduleToStartTimeout: '5 seconds',
  shutdownGraceTime: '30 seconds',
  shutdownForceTime: '35 seconds',
});

const versionOf = (config: Config): Pick<WorkerOptions, 'workerDeploymentOptions'> =>
  config.TEMPORAL_VERSIONING
    ? {
        workerDeploymentOptions: {
          useWorkerVersioning: true,
          version: { deploymentName: deploymentOf(config.TEMPORAL_QUEUE_PREFIX), buildId: config.TEMPORAL_BUILD_ID },
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
      }
    : {};
