import type { Logger } from './logger.ts';

/** Repeats a task with a pause after each run, however it went, until stopped. Never runs it twice at once. */
export const repeat = (pauseMs: number, log: Logger, what: string, task: () => Promise<unknown>): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async (): Promise<void> => {
    await task().catch((err: unknown) => log.warn({ err }, `${what} failed`));
    if (!stopped) timer = setTimeout(() => void run(), pauseMs);
  };
  void run();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};
