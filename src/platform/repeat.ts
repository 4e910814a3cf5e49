import type { Logger } from './logger.ts';

/** Runs a task, then again `pauseMs` after each run ends or fails, until stopped. Runs never overlap. */
export const repeat = (pauseMs: number, log: Logger, name: string, task: () => Promise<unknown>): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async (): Promise<void> => {
    await task().catch((err: unknown) => log.warn({ err }, `${name} failed`));
    if (!stopped) timer = setTimeout(() => void run(), pauseMs);
  };
  void run();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};
