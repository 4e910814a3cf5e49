import { NativeConnection, Runtime as TemporalRuntime, Worker, type WorkerOptions } from '@temporalio/worker';
import { activitiesOf } from '../../activities/index.ts';
import type { Config } from '../config.ts';
import type { Queue } from '../contracts/workflows.ts';
import type { Logger } from '../platform/logger.ts';
import type { Runtime } from '../runtime.ts';

export interface TemporalWorkers {
  /** Lets running steps finish, then closes. */
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
const WORKFLOWS = new URL('../../workflows/index.ts', import.meta.url).pathname;

/** What may be logged of an SDK message: the rest can contain inputs and results. */
const metaOf = (meta: Readonly<Record<string, unknown>> | undefined) => ({
  workflowId: meta?.['workflowId'],
  activity: meta?.['activityType'],
  attempt: meta?.['attempt'],
});

let installed = false;

/** Before the first connection of a process; later calls change nothing. Signals are handled by the process itself. */
export const installTemporalRuntime = (log: Logger): void => {
  if (installed) return;
  installed = true;
  TemporalRuntime.install({
    shutdownSignals: [],
    logger: {
      log: (level, message, meta) => (level === 'ERROR' ? log.error({ meta }, message) : log.debug({ meta }, message)),
      trace: (message) => log.trace(message),
      debug: (message, meta) => log.debug(metaOf(meta), message),
      info: (message) => log.debug(message),
      warn: (message, meta) => log.warn(metaOf(meta), message),
      error: (message, meta) => log.error(metaOf(meta), message),
    },
  });
};

/** Workers of the given queues. Waits for a Temporal that is away, for as long as it takes; `stop` ends the wait. */
export const startTemporalWorkers = (runtime: Runtime, config: Config, queues: readonly Queue[]): TemporalWorkers => {
  let running = true;
  const workers: Worker[] = [];
  let connection: NativeConnection | null = null;

  const connect = async (): Promise<NativeConnection | null> => {
    while (running) {
      try {
        return await NativeConnection.connect({
          address: config.TEMPORAL_ADDRESS,
          ...(config.TEMPORAL_TLS || config.TEMPORAL_API_KEY ? { tls: true } : {}),
          ...(config.TEMPORAL_API_KEY ? { apiKey: config.TEMPORAL_API_KEY } : {}),
        });
      } catch (err) {
        runtime.log.warn({ err }, 'temporal unavailable, retrying');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    return null;
  };

  const run = async (): Promise<void> => {
    connection = await connect();
    if (!connection) return;
    for (const queue of queues) workers.push(await Worker.create(optionsOf(runtime, config, connection, queue)));
    runtime.log.info({ queues }, 'temporal workers started');
    await Promise.all(running ? workers.map((worker) => worker.run()) : []);
  };
  const ended = run().catch((err: unknown) => {
    runtime.log.fatal({ err }, 'temporal workers failed');
    // A worker that cannot poll is of no use: whoever supervises the process starts a new one.
    if (running) process.kill(process.pid, 'SIGTERM');
  });

  return {
    async stop() {
      running = false;
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      await connection?.close();
    },
  };
};

const optionsOf = (runtime: Runtime, config: Config, connection: NativeConnection, queue: Queue): WorkerOptions => ({
  connection,
  namespace: config.TEMPORAL_NAMESPACE,
  taskQueue: config.TEMPORAL_QUEUE_PREFIX + queue,
  activities: activitiesOf(queue, runtime),
  ...(config.WORKFLOW_BUNDLE ? { workflowBundle: { codePath: config.WORKFLOW_BUNDLE } } : { workflowsPath: WORKFLOWS }),
  identity: `${process.pid}@${queue}`,
  // A step may hold a database connection: the pool is shared out among the queues.
  maxConcurrentActivityTaskExecutions: config.WORKER_MAX_ACTIVITIES,
  // When a worker stops, the SDK goes with the first of its open polls that ends without a task, and what another one brings
  // is lost until its time is up. One is enough: most steps come with the answer to the workflow's own task.
  maxConcurrentActivityTaskPolls: 1,
  maxCachedWorkflows: config.WORKER_CACHED_WORKFLOWS,
  stickyQueueScheduleToStartTimeout: '5 seconds',
  shutdownGraceTime: '30 seconds',
  shutdownForceTime: '35 seconds',
});
