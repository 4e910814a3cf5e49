import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findStackFile, keepStackFile, type Pids, type StackFile } from '../installation/stack-file.ts';
import type { LocalStack } from '../stack/index.ts';
import { describeError } from '../stack/local-stack-error.ts';
import { type Lock, tryLock } from '../stack/lock.ts';
import { findFreePort, findPortProblem, onChosenPorts } from '../stack/ports.ts';
import { openDemoAccess } from './demo-access.ts';
import { openDemoReceiver } from './demo-receiver.ts';
import type { DemoScenario } from './demo-scenario.ts';
import { type Closers, openInfrastructure, type SystemOptions } from './infrastructure.ts';
import { openProcesses } from './open-processes.ts';
import { type SystemProcesses, stopProcesses } from './processes.ts';
import { makeSignInLinks } from './sign-in-links.ts';
import type { SignInLinks } from './summary.ts';
import { chooseApiPort, choosePorts, type SystemPorts, USUAL_RECEIVER_PORT } from './system-ports.ts';

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
  let apiPort = await chooseApiPort(given.port, log);
  const { services, secrets, workflowBundle } = await openInfrastructure(options, closers);
  await mkdir(join(folder, 'mailbox'), { recursive: true, mode: 0o700 });
  const receiver = await onChosenPorts(() => findFreePort(USUAL_RECEIVER_PORT, [apiPort]), openDemoReceiver);
  closers.push(() => receiver.close());

  let processes: SystemProcesses | null = null;
  const stackFile = keepStackFile(folder, () => pidsOf(services, processes));
  refreshStackFile = stackFile.refresh;
  const choose = async (): Promise<SystemPorts> => {
    // Another program may have taken it while Temporal was built.
    if ((await findPortProblem(apiPort)) !== null) apiPort = await chooseApiPort(given.port, log);
    return choosePorts(apiPort);
  };
  const watch = { ...options, directory: services.directory };
  const opened = await openProcesses({ folder, env, services, secrets, workflowBundle }, watch, choose);
  const { runtime, people, addresses } = opened;
  processes = opened.processes;
  closers.push(
    () => runtime.close(),
    () => stackFile.withdraw(),
    () => stopProcesses(opened.processes),
  );
  portLock.release();
  log(`API, worker and payment provider are ready; the API is on port ${apiPort}`);

  const { origin, temporalUiUrl } = addresses;
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
 * that start at the same time would choose the same ones, and one would start its processes again. Without the lock
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
