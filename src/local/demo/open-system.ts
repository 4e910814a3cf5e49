import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorContext } from '../../cli/operator.ts';
import { type Config, loadConfig } from '../../config.ts';
import { openRuntime } from '../../runtime.ts';
import { findStackFile, keepStackFile, type Pids, type StackFile } from '../installation/stack-file.ts';
import { systemSettings } from '../installation/system-settings.ts';
import type { LocalStack } from '../stack/index.ts';
import { describeError, LocalStackError } from '../stack/local-stack-error.ts';
import { type Lock, tryLock } from '../stack/lock.ts';
import { isFreePort } from '../stack/ports.ts';
import type { Environment } from '../stack/programs.ts';
import { openDemoAccess } from './demo-access.ts';
import { findOrCreateDemo } from './demo-data.ts';
import { openDemoReceiver } from './demo-receiver.ts';
import type { DemoScenario } from './demo-scenario.ts';
import { type Closers, openInfrastructure, type SystemOptions } from './infrastructure.ts';
import { chooseApiPort, choosePorts, type SystemProcesses, startProcesses, stopProcesses } from './processes.ts';
import { makeSignInLinks } from './sign-in-links.ts';
import type { SignInLinks } from './summary.ts';

export interface System {
  stack: StackFile;
  logsDir: string;
  signInLinks: SignInLinks;
  scenario: DemoScenario;
  /** Stops everything in bounded time; the second call waits for the first. */
  close(): Promise<void>;
}

/** Starts the entire system on this machine, with its demo data. On failure, everything opened before is closed. */
export const openSystem = async (options: Omit<SystemOptions, 'onRestarted'>): Promise<System> => {
  const closers: Closers = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse()) await close().catch((error: unknown) => options.log(describeError(error)));
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  try {
    return { ...(await open(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const open = async (given: Omit<SystemOptions, 'onRestarted'>, closers: Closers): Promise<Omit<System, 'close'>> => {
  const { folder, env, log } = given;
  let refreshStackFile: () => Promise<void> = async () => {};
  const onRestarted = (): void => void refreshStackFile().catch((error: unknown) => log(describeError(error)));
  const options = { ...given, onRestarted };
  const portLock = await lockPorts(options);
  closers.push(async () => portLock.release());
  const chosenPort = await chooseApiPort(given.port, log);
  const { services, secrets, workflowBundle } = await openInfrastructure(options, closers);
  // Another program may have taken it while Temporal was built.
  const ports = await choosePorts((await isFreePort(chosenPort)) ? chosenPort : await chooseApiPort(given.port, log));
  // Passkeys need a name: browsers refuse them at an address.
  const origin = `http://localhost:${ports.api}`;
  const { databaseUrl, redisUrl, temporalAddress, temporalUiUrl } = services;
  const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`;
  const mailboxDir = join(folder, 'mailbox');
  await mkdir(mailboxDir, { recursive: true, mode: 0o700 });
  const addresses = {
    origin,
    databaseUrl,
    redisUrl,
    temporalAddress,
    temporalUiUrl,
    sandboxUrl,
    mailboxDir,
    filesDir: join(folder, 'files'),
  };
  const settings = { ...systemSettings(env, addresses, secrets), DATABASE_POOL: '2', LOG_LEVEL: 'silent' };
  const runtime = await openRuntime(readConfig(settings), 'start');
  closers.push(() => runtime.close());
  const people = await findOrCreateDemo(operatorContext(runtime));
  log('The demo merchant has its program and affiliates');
  const receiver = await openDemoReceiver(ports.receiver);
  closers.push(() => receiver.close());

  let processes: SystemProcesses | null = null;
  const stackFile = keepStackFile(folder, () => pidsOf(services, processes));
  refreshStackFile = stackFile.refresh;
  const running = await startProcesses(
    { env, services, addresses, ports, secrets, workflowBundle },
    { ...options, directory: services.directory },
  );
  processes = running;
  portLock.release();
  log(`API, worker and payment provider are ready; the API is on port ${ports.api}`);
  closers.push(
    () => stackFile.withdraw(),
    () => stopProcesses(running),
  );

  const apiUrl = `${origin}/api/v1`;
  const knownKeys = await findStackFile(folder);
  const access = await openDemoAccess({ runtime, folder, apiUrl, people, knownKeys, receiverUrl: receiver.url });
  receiver.trust(access.endpointSecret);
  const { programId, payable } = people;
  const stack = await stackFile.publish({
    ...addresses,
    apiUrl,
    docsUrl: `${origin}/docs`,
    temporalUiUrl,
    ...access.keys,
    programId,
    payableAffiliateId: payable.affiliateId,
  });
  return {
    stack,
    signInLinks: await makeSignInLinks(runtime),
    logsDir: services.directory.logsDir,
    scenario: { origin, client: access.client, people, eventSecret: access.eventSecret, receiver, log },
  };
};

/** What is wrong with the environment is for the user to correct. */
const readConfig = (settings: Environment): Config => {
  try {
    return loadConfig(settings);
  } catch (error) {
    throw new LocalStackError(describeError(error));
  }
};

const pidsOf = ({ pids }: LocalStack, processes: SystemProcesses | null): Pids => ({
  api: processes?.api.pid() ?? null,
  worker: processes?.worker.pid() ?? null,
  ...pids,
  sandbox: processes?.sandbox.pid() ?? null,
});

const WAIT_MS = 60_000;
const POLL_MS = 100;

/**
 * Systems of one user choose their ports one after the other. A port is only taken once its process listens, so two systems
 * that start at the same time would choose the same ones, and one would take the other's API for its own. Without the lock
 * after a minute, the system starts anyway.
 */
const lockPorts = async ({ signal, log }: Pick<SystemOptions, 'signal' | 'log'>): Promise<Lock> => {
  let waiting = false;
  const path = join(tmpdir(), `tributary-ports-${process.getuid?.() ?? 0}.lock`);
  for (const end = Date.now() + WAIT_MS; Date.now() < end && !signal.aborted; await sleep(POLL_MS)) {
    const attempt = await tryLock(path);
    if ('lock' in attempt) return attempt.lock;
    if (!waiting) log(`Another npm start (process ${attempt.heldBy}) is choosing its ports: waiting for a minute at most`);
    waiting = true;
  }
  return { release: () => {} };
};
