import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../src/local/stack/index.ts';
import { until } from '../../test/support/until.ts';
import { options } from './options.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Server {
  name: string;
  url: string;
  pid: number;
  /** CPU time of the process so far, all threads. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CPU = fileURLToPath(new URL('cpu.ts', import.meta.url));

/** The program under test has the first core for itself; everything else runs on the other cores, so that it is the bottleneck. */
const canPin = platform() === 'linux' && availableParallelism() >= 2;

/** Moves this process, and the processes it starts from now on, to all cores but the first. */
export const leaveFirstCore = async (): Promise<void> => {
  if (!canPin) return;
  await once(
    spawn('taskset', ['-a', '-p', '-c', `1-${availableParallelism() - 1}`, String(process.pid)], { stdio: 'ignore' }),
    'exit',
  );
};

export interface ServerOptions {
  name: string;
  /** Path from the project root. */
  program: string;
  env: Environment;
  /** The environment variable for its port. */
  portSetting: string;
  readyPath: string;
  /** Whether it runs on the first core only. */
  pinned: boolean;
  /** Set when another program has to know it in advance. */
  port?: number;
}

export const profileArgs = (name: string): string[] => {
  if (options.profile === undefined) return [];
  mkdirSync(options.profile, { recursive: true });
  return ['--cpu-prof', `--cpu-prof-dir=${join(options.profile, name)}`];
};

/** Starts a program under test in a separate process; its standard output is discarded. */
export const startServer = async (given: ServerOptions): Promise<Server> => {
  const port = given.port ?? (await findFreePort(0));
  const url = `http://127.0.0.1:${port}`;
  const own = [process.execPath, ...profileArgs(given.name), '--import', CPU, given.program];
  const [command = '', ...args] = given.pinned && canPin ? ['taskset', '-c', '0', ...own] : own;
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { METRICS_PORT: '0', ...given.env, [given.portSetting]: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  await untilReady(child, url + given.readyPath, given.name);
  return {
    name: given.name,
    url,
    pid: child.pid ?? 0,
    cpuMicros: () => readCpu(child),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const timeout = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await exited;
      clearTimeout(timeout);
    },
  };
};

const untilReady = async (child: ChildProcess, url: string, name: string): Promise<void> => {
  const isReady = () =>
    fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
  await until(`${name} is ready`, () => child.exitCode !== null || isReady());
  if (child.exitCode !== null) throw new Error(`${name} did not start`);
};

export const readCpu = async (child: ChildProcess): Promise<number> => {
  const received = once(child, 'message') as Promise<[{ cpuMicros: number }]>;
  child.send('cpu');
  const [{ cpuMicros }] = await received;
  return cpuMicros;
};
