import { join } from 'node:path';
import type { OpenService, ServiceOptions } from './open-service.ts';
import { createRestarter } from './restarter.ts';

export interface Opening<S> extends ServiceOptions {
  /** The service as it was opened first, whose ports it takes again. */
  previous: S | null;
}

export interface KeepOptions extends ServiceOptions {
  /** Whether it is started again when it exits on its own. */
  restart?: boolean | undefined;
  onRestarted?: (() => void) | undefined;
}

/** A service that is started again, with the same addresses, whenever it exits on its own. */
export async function keepRunning<S extends OpenService>(
  name: string,
  open: (opening: Opening<S>) => Promise<S>,
  options: KeepOptions,
): Promise<S> {
  const stopping = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal;
  let first: S | null = null;
  let current: S | null = null;
  let restarting: Promise<void> | null = null;

  const openAgain = async (): Promise<S> => {
    let readyAt = Date.now();
    const onCrash = (report: string): void => {
      current = null;
      options.onCrash?.(report);
      if (options.restart && !signal.aborted) restarting = restart(Date.now() - readyAt);
    };
    const opened = await open({ ...options, signal, onCrash, previous: first });
    readyAt = Date.now();
    return opened;
  };
  const restart = createRestarter({
    name,
    log: options.log,
    signal,
    logPath: join(options.directory.logsDir, `${name}.log`),
    start: async () => {
      current = await openAgain();
      options.onRestarted?.();
      return `process ${current.pid}`;
    },
  });

  const opened = await openAgain();
  first = opened;
  current = opened;
  return {
    ...opened,
    get pid() {
      return current?.pid ?? null;
    },
    async close() {
      stopping.abort();
      await restarting;
      await current?.close();
    },
  };
}
