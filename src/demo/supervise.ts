import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from '../installation/data-folder.ts';
import { type Child, startChild } from '../local-stack/children.ts';
import type { DataDirectory } from '../local-stack/data-directory.ts';
import { describeError, LocalStackError } from '../local-stack/local-stack-error.ts';
import type { Environment } from '../local-stack/programs.ts';

export interface ProcessPlan {
  name: 'api' | 'worker' | 'sandbox';
  env: Environment;
  /** Answers 200 once the process is of use. */
  healthUrl: string;
  /** How long it may take to finish what it has begun. */
  drainMs: number;
}

export interface Watch {
  directory: DataDirectory;
  log: (line: string) => void;
  signal: AbortSignal;
  /** Told of each end that nobody asked for. Starting again is up to `restart`. */
  onCrash: (report: string) => void;
  restart: boolean;
  onRestarted: () => void;
}

export interface Supervised {
  pid(): number | null;
  stop(): Promise<void>;
}

const READY_MS = 60_000;
const MAX_FAILURES = 5;
/** One that lived this long did start: the count of failures begins anew. */
const STEADY_MS = 30_000;

/** Starts a process of ours, waits until it is ready, and starts it again when it dies. */
export const supervise = async (plan: ProcessPlan, watch: Watch): Promise<Supervised> => {
  const stopping = new AbortController();
  const signal = AbortSignal.any([watch.signal, stopping.signal]);
  let current: Child | null = null;
  let restarting: Promise<void> | null = null;
  let failures = 0;

  const launch = async (): Promise<Child> => {
    const startedAt = Date.now();
    const child = await startChild({
      name: plan.name,
      command: process.execPath,
      args: [`bin/${plan.name}.ts`],
      env: plan.env,
      cwd: PROJECT_ROOT,
      logsDir: watch.directory.logsDir,
      pidsDir: watch.directory.pidsDir,
      stopTimeoutMs: plan.drainMs,
      onCrash: (report) => {
        current = null;
        if (Date.now() - startedAt > STEADY_MS) failures = 0;
        watch.onCrash(report);
        if (watch.restart && !signal.aborted) restarting = restartProcess();
      },
    });
    try {
      await child.waitUntilReady(() => assertHealthy(plan.healthUrl), { timeoutMs: READY_MS, signal });
      return child;
    } catch (error) {
      await child.stop();
      throw error;
    }
  };

  const restartProcess = async (): Promise<void> => {
    while (++failures <= MAX_FAILURES) {
      await sleep(500 * failures, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        current = await launch();
        watch.log(`${plan.name} runs again (process ${current.pid})`);
        return watch.onRestarted();
      } catch (error) {
        if (!signal.aborted) watch.log(describeError(error));
      }
    }
    watch.log(
      `${plan.name} failed ${MAX_FAILURES} times in a row and is not started again. Its log: ${watch.directory.logsDir}/${plan.name}.log`,
    );
  };

  current = await launch();
  return {
    pid: () => current?.pid ?? null,
    async stop() {
      stopping.abort();
      await restarting;
      await current?.stop();
    },
  };
};

const assertHealthy = async (url: string): Promise<void> => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await answer.body?.cancel();
  if (!answer.ok) throw new LocalStackError(`${url} answers ${answer.status}`);
};
