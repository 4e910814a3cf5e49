import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../platform/database/migrate.ts';
import { loadConfig } from '../../config.ts';
import { openRuntime, type Runtime } from '../../runtime.ts';
import { describeError, LocalStackError } from '../local-stack-error.ts';
import { openLocalStack } from '../index.ts';
import type { Environment } from '../programs.ts';
import { runSql } from '../sql.ts';
import { openDemoAccess } from './demo-access.ts';
import { findOrMakeDemo } from './demo-data.ts';
import { openDemoReceiver } from './demo-receiver.ts';
import type { MainJob } from './main-job.ts';
import { operatorContext } from './operator.ts';
import { choosePorts, startProcesses, stopProcesses, type SystemProcesses } from './processes.ts';
import { findSecrets, makeSecrets, type Secrets } from './secrets-file.ts';
import { systemSettings } from './settings.ts';
import { findStackFile, type StackFile, writeStackFile } from './stack-file.ts';
import { buildWorkflowBundle, keepWorkflowBundle } from './workflow-bundle.ts';

export interface SystemOptions {
  folder: string;
  env: Environment;
  say: (line: string) => void;
  /** Ends a start that is under way. */
  signal: AbortSignal;
  /** Told when a child ends unasked. */
  onCrash: (report: string) => void;
  /** Whether processes of ours that died are started again. */
  restart: boolean;
}

export interface System {
  stack: StackFile;
  logsDir: string;
  mainJob: MainJob;
  /** Stops all that was started, in bounded time; the second call waits for the first. */
  close(): Promise<void>;
}

/** The whole system on this machine, with its demo data. What was opened before a failure is closed again. */
export const openSystem = async (options: SystemOptions): Promise<System> => {
  const closers: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse()) await close().catch((error: unknown) => options.say(describeError(error)));
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  try {
    return { ...(await open(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const open = async (options: SystemOptions, closers: (() => Promise<void>)[]): Promise<Omit<System, 'close'>> => {
  const { folder, env, say, signal, onCrash, restart } = options;
  const bundling = buildWorkflowBundle();
  // Looked at only when the services run; until then a failure must not end the process.
  bundling.catch(() => {});
  const services = await openLocalStack({ data: { folder }, env, say, onCrash, signal, temporalCluster: clusterOf(env) });
  closers.push(() => services.close());
  const applied = await migrate(services.databaseUrl);
  if (applied.length > 0) say(`Database: ${applied.length} migrations applied`);
  const secrets = (await findSecrets(folder)) ?? (await makeSecretsOnce(options, services.databaseUrl));
  const ports = await choosePorts();
  const { databaseUrl, redisUrl, temporalAddress, temporalUiUrl, directory } = services;
  const origin = `http://127.0.0.1:${ports.api}`;
  const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`;
  const settings = systemSettings(env, { origin, databaseUrl, redisUrl, temporalAddress, sandboxUrl }, secrets);
  const runtime = await openLauncherRuntime(settings);
  closers.push(() => runtime.close());
  const people = await findOrMakeDemo(operatorContext(runtime));
  const receiver = await openDemoReceiver(ports.receiver);
  closers.push(() => receiver.close());
  const workflowBundle = await keepWorkflowBundle(folder, await bundling);

  let told: Omit<StackFile, 'pids'> | null = null;
  let processes: SystemProcesses | null = null;
  const tell = async (isUp: boolean): Promise<void> => {
    if (told) await writeStackFile(folder, { ...told, pids: pidsOf(isUp ? services.pids : null, isUp ? processes : null) });
  };
  const onRestarted = (): void => void tell(true).catch((error: unknown) => say(describeError(error)));
  const watch = { directory, say, signal, onCrash, restart, onRestarted };
  processes = await startProcesses({ env, stack: services, ports, secrets, workflowBundle, watch });
  const running = processes;
  closers.push(() => tell(false), () => stopProcesses(running));

  const apiUrl = `${origin}/api/v1`;
  const knownKeys = await findStackFile(folder).catch(() => null);
  const access = await openDemoAccess({ runtime, folder, apiUrl, people, knownKeys, receiverUrl: receiver.url });
  receiver.trust(access.endpointSecret);
  const mailboxDir = join(folder, 'mailbox');
  await mkdir(mailboxDir, { recursive: true, mode: 0o700 });
  told = { origin, apiUrl, docsUrl: `${origin}/docs`, temporalAddress, temporalUiUrl, databaseUrl, redisUrl, sandboxUrl, mailboxDir, ...access.keys, programId: people.programId };
  await tell(true);
  return {
    stack: { ...told, pids: pidsOf(services.pids, running) },
    logsDir: directory.logsDir,
    mainJob: { origin, client: access.client, people, eventSecret: access.eventSecret, receiver, say },
  };
};

type ServicePids = Pick<StackFile['pids'], 'postgres' | 'redis' | 'temporal'>;

const pidsOf = (services: ServicePids | null, processes: SystemProcesses | null): StackFile['pids'] => ({
  api: processes?.api.pid() ?? null,
  worker: processes?.worker.pid() ?? null,
  postgres: services?.postgres ?? null,
  redis: services?.redis ?? null,
  temporal: services?.temporal ?? null,
  sandbox: processes?.sandbox.pid() ?? null,
});

/** New keys would make every stored secret and payout address unreadable, so they are drawn for an empty database only. */
const makeSecretsOnce = async ({ folder, env }: SystemOptions, databaseUrl: string): Promise<Secrets> => {
  const isEmpty = (await runSql(databaseUrl, 'select 1 from merchant limit 1')).length === 0;
  if (isEmpty || env['ENCRYPTION_KEYS']) return makeSecrets(folder);
  throw new LocalStackError(`The database holds data, and its encryption keys are gone (${join(folder, 'keys.json')}). Restore that file, set ENCRYPTION_KEYS, or remove ${folder} to start empty.`);
};

const openLauncherRuntime = (settings: Environment): Promise<Runtime> =>
  openRuntime(loadConfig({ ...settings, DATABASE_POOL: '2', LOG_LEVEL: 'silent' }), 'start');

const clusterOf = (env: Environment) => ({
  ...(env['TEMPORAL_NAMESPACE'] ? { namespace: env['TEMPORAL_NAMESPACE'] } : {}),
  ...(env['TEMPORAL_TLS'] === 'true' || env['TEMPORAL_API_KEY'] ? { tls: true } : {}),
  ...(env['TEMPORAL_API_KEY'] ? { apiKey: env['TEMPORAL_API_KEY'] } : {}),
});
