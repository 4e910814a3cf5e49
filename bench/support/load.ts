import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load, LoadResult } from './generator.ts';
import type { Server } from './server.ts';

const GENERATOR = fileURLToPath(new URL('generator.ts', import.meta.url));

export interface Measured extends LoadResult {
  perSecond: number;
  /** CPU time of the server per successful request. */
  cpuMicros: number;
  /** Share of one core that the server used. */
  busy: number;
}

export const send = async (load: Load): Promise<LoadResult> => {
  const child = fork(GENERATOR, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const received = once(child, 'message') as Promise<[{ result?: LoadResult; error?: string }]>;
  child.send(load);
  const [{ result, error }] = await received;
  child.disconnect();
  if (!result) throw new Error(`The generator failed: ${error}`);
  return result;
};

/** Sends a load and measures the CPU time of the server. A failed request invalidates the figure, so it throws. */
export const measure = async (server: Server, load: Load): Promise<Measured> => {
  const before = await server.cpuMicros();
  const result = await send(load);
  const used = (await server.cpuMicros()) - before;
  if (result.failures > 0)
    throw new Error(
      `${server.name}: ${result.failures} of ${result.requests} requests failed: ${JSON.stringify(result.statuses)}`,
    );
  return {
    ...result,
    perSecond: result.requests / result.seconds,
    cpuMicros: used / result.requests,
    busy: used / 1e6 / result.seconds,
  };
};
