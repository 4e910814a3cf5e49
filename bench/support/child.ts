import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Environment, profileArgs, readCpu } from './server.ts';

export interface Child {
  /** Sends one request and resolves with its result. */
  run<Result>(request: unknown): Promise<Result>;
  pid: number;
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

const CPU = fileURLToPath(new URL('cpu.ts', import.meta.url));

/** Starts a program of this folder that runs requests sent as messages instead of serving HTTP. */
export const startChild = async (program: string, env: Environment): Promise<Child> => {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  const child: ChildProcess = fork(path, { execArgv: ['--import', CPU, ...profileArgs(program)], env: { ...env } });
  process.once('exit', () => child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async run<Result>(request: unknown) {
      const settled = new AbortController();
      const received = once(child, 'message', settled);
      const exited = once(child, 'exit', settled).then(() => [{ error: 'process exited' }]);
      child.send(request as object);
      const [result] = await Promise.race([received, exited]);
      for (const other of [received, exited]) other.catch(() => {});
      settled.abort();
      if (result.error !== undefined) throw new Error(`${program}: ${result.error}`);
      return result as Result;
    },
    cpuMicros: () => readCpu(child),
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
};
