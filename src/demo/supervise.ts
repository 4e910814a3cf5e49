import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from '../installation/data-folder.ts';
import { type Child, startChild } from '../local-stack/children.ts';
import type { DataDirectory } from '../local-stack/data-directory.ts';
import { describeError, LocalStackError } from '../local-stack/local-stack-error.ts';
import type { Environment } from '../local-stack/programs.ts';

export interface ProcessPlan {
  name: 'api' | 'worker' | 'sandbox';
  env: Environment;
  /** Returns 200 once the process is ready. */
  healthUrl: string;
  /** How long it may take to finish work in flight. */
  stopTimeoutMs: number;
}

export interface Watch {
  directory: DataDirectory;
  log: (line: string) => void;
  signal: AbortSignal;
  /** Called for each unexpected exit. `restart` decides whether the process is started again. */
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
/** After this uptime, the count of consecutive failures is reset. */
const STABLE_MS = 30_000;

/** Starts a process, waits until it is ready, and restarts it when it exits. */
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
      stopTimeoutMs: plan.stopTimeoutMs,
      onCrash: (report) => {
        current = null;
        if (Date.now() - startedAt > STABLE_MS) failures = 0;
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
        watch.log(`${plan.name} restarted (process ${current.pid})`);
        return watch.onRestarted();
      } catch (error) {
        if (!signal.aborted) watch.log(describeError(error));
      }
    }
    watch.log(
      `${plan.name} failed ${MAX_FAILURES} times in a row and is not restarted. Log: ${watch.directory.logsDir}/${plan.name}.log`,
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
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  if (!response.ok) throw new LocalStackError(`${url} returned ${response.status}`);
};
