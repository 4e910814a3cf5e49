import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from './local-stack-error.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** After this uptime, the count of consecutive failures is reset. */
const STABLE_MS = 30_000;

export interface RestarterOptions {
  name: string;
  /** Resolves once it is ready, with a description of what runs now. */
  start: () => Promise<string>;
  log: (line: string) => void;
  /** Ends the restarts. */
  signal: AbortSignal;
  /** Shown while it does not run. */
  logPath: string;
  firstDelayMs?: number;
}

export const restartDelayMs = (failures: number, firstDelayMs = FIRST_DELAY_MS): number =>
  Math.min(MAX_DELAY_MS, firstDelayMs * 2 ** Math.min(failures - 1, 16));

/** Starts something again after an exit, until it runs or the signal aborts: never gives up, at most 30 s between two tries. */
export const createRestarter = ({ name, start, log, signal, logPath, firstDelayMs }: RestarterOptions) => {
  let failures = 0;
  return async (uptimeMs: number): Promise<void> => {
    if (uptimeMs > STABLE_MS) failures = 0;
    for (;;) {
      failures += 1;
      const delayMs = restartDelayMs(failures, firstDelayMs);
      const count = failures === 1 ? '' : ` (${failures} failures in a row)`;
      log(`Degraded: ${name} is not running${count}. Starting it again in ${delayMs / 1_000} s. Log: ${logPath}`);
      await sleep(delayMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        log(`${name} restarted (${await start()})`);
        return;
      } catch (error) {
        if (!signal.aborted) log(describeError(error));
      }
    }
  };
};
