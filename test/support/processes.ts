import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, findFreePort, onFreePort, startChild } from '../../src/local/stack/index.ts';
import { type OwnTestApi, openTestApi, SLOW_DATABASE, type TestApi, type TestEnvironment } from './api.ts';
import { unique } from './factories.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A running bin/api.ts or bin/worker.ts. */
export interface AppProcess {
  name: string;
  /** Base URL of the API, or of the worker's health endpoint. */
  url: string;
  metricsUrl: string;
  pid(): number;
  isRunning(): boolean;
  /** Resolves when the process has exited, for any reason. */
  ended(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM; waits for the graceful shutdown. */
  stop(): Promise<void>;
  /** Everything it wrote to stdout and stderr. */
  log(): Promise<string>;
}

export interface ProcessSystem extends OwnTestApi {
  sandbox: Sandbox;
  /** Environment of the processes, without ports. */
  env: TestEnvironment;
  /** Default port of `startApi`; the provider sends its notifications there. */
  apiPort: number;
  startApi(options?: { faults?: string; port?: number; env?: TestEnvironment }): Promise<AppProcess>;
  startWorker(options?: { faults?: string; env?: TestEnvironment }): Promise<AppProcess>;
}

const READY_MS = 60_000;
const ERROR_LEVEL = 50;

/** Lines of the log of a process that report an error. */
export const errorLines = (log: string): string[] =>
  log.split('\n').filter((line) => Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 0) >= ERROR_LEVEL);

/**
 * A database and a provider, for API and worker processes that the test starts and kills. The API inside the test only
 * prepares and reads data.
 */
export const openProcessSystem = async (
  options: { sandbox?: SandboxOptions; env?: TestEnvironment; asOwner?: boolean } = {},
): Promise<ProcessSystem> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-chaos-'));
  const apiPort = await findFreePort(0);
  const origin = `http://127.0.0.1:${apiPort}`;
  const notificationUrl = `${origin}/api/integrations/rails/sandbox`;
  const sandbox = await startSandbox({ settleMs: 50, notificationUrl, store: join(folder, 'sandbox.jsonl'), ...options.sandbox });
  const shared = {
    PUBLIC_URL: origin,
    RAIL_PAYPAL: 'sandbox',
    RAIL_BANK_TRANSFER: 'sandbox',
    SANDBOX_URL: sandbox.url,
    SANDBOX_API_KEY: sandbox.apiKey,
    SANDBOX_NOTIFICATION_SECRET: sandbox.notificationSecret,
    TEMPORAL_QUEUE_PREFIX: `chaos-${unique()}-`,
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    WORKER_CACHED_WORKFLOWS: '100',
    ...SLOW_DATABASE,
    ...options.env,
  };
  const api = await openTestApi(shared, { asOwner: options.asOwner });
  const env = { ...process.env, ...plainSettings(api), ...shared, LOG_LEVEL: 'info', FAULT_POINTS: '' };
  const processes: AppProcess[] = [];
  let serial = 0;

  const start = async (kind: 'api' | 'worker', url: string, path: string, more: TestEnvironment): Promise<AppProcess> => {
    const name = `${kind}-${++serial}`;
    const started = await onFreePort(0, (port) =>
      startProcess({ kind, name, folder, url, path, env: { ...env, METRICS_PORT: String(port), ...more } }),
    );
    processes.push(started);
    return started;
  };
  return {
    ...api,
    sandbox,
    env,
    apiPort,
    async startApi({ faults = '', port = apiPort, env: more = {} } = {}) {
      const url = `http://127.0.0.1:${port}`;
      return start('api', url, '/health/ready', { API_PORT: String(port), FAULT_POINTS: faults, ...more });
    },
    async startWorker({ faults = '', env: more = {} } = {}) {
      return onFreePort(0, (port) =>
        start('worker', `http://127.0.0.1:${port}`, '/health/live', {
          WORKER_HEALTH_PORT: String(port),
          FAULT_POINTS: faults,
          ...more,
        }),
      );
    },
    async close() {
      await Promise.all(processes.map((started) => started.kill()));
      await sandbox.stop();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The settings of the API inside the test as environment variables for the processes. */
const plainSettings = ({ runtime: { config } }: TestApi): TestEnvironment => ({
  ENVIRONMENT: config.ENVIRONMENT,
  DATABASE_URL: config.DATABASE_URL,
  DATABASE_POOL: String(config.DATABASE_POOL),
  REDIS_URL: config.REDIS_URL,
  TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS,
  ENCRYPTION_KEYS: config.ENCRYPTION_KEYS.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(','),
  WEBHOOK_ALLOWED_PRIVATE_ADDRESSES: config.WEBHOOK_ALLOWED_PRIVATE_ADDRESSES.join(','),
  MAILBOX_DIR: config.MAILBOX_DIR,
});

interface StartOptions {
  kind: 'api' | 'worker';
  name: string;
  folder: string;
  url: string;
  path: string;
  env: TestEnvironment;
}

const startProcess = async ({ kind, name, folder, url, path, env }: StartOptions): Promise<AppProcess> => {
  const child: Child = await startChild({
    name,
    command: process.execPath,
    args: [`bin/${kind}.ts`],
    env,
    cwd: ROOT,
    logsDir: folder,
    pidsDir: folder,
    stopTimeoutMs: 60_000,
  });
  const read = () => readFile(child.logPath, 'utf8');
  const isReady = async (): Promise<void> => {
    const response = await fetch(url + path, { signal: AbortSignal.timeout(2_000) });
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
    // The health endpoint responds before the worker polls, and without Temporal it never does.
    if (kind === 'worker' && !/temporal (workers started|unavailable)|not compared with its mark yet/.test(await read()))
      throw new Error('the worker does not poll yet');
  };
  await child.waitUntilReady(isReady, { timeoutMs: READY_MS });
  return {
    name,
    url,
    metricsUrl: `http://127.0.0.1:${env['METRICS_PORT']}/metrics`,
    pid: () => child.pid,
    isRunning: () => child.isRunning(),
    ended: () => child.exited,
    async kill() {
      if (child.isRunning()) process.kill(child.pid, 'SIGKILL');
      await child.exited;
    },
    stop: () => child.stop(),
    log: read,
  };
};
