import { PROJECT_ROOT } from '../installation/data-folder.ts';
import { type Child, startChild } from '../stack/children.ts';
import type { DataDirectory } from '../stack/data-directory.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';
import type { Environment } from '../stack/programs.ts';
import { createRestarter } from '../stack/restarter.ts';

export interface ProcessPlan {
  name: 'api' | 'worker' | 'sandbox' | 'paypal-double';
  env: Environment;
  /** Those on which it listens. */
  ports: readonly number[];
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

/** Starts a process, waits until it is ready, and restarts it whenever it exits. */
export const supervise = async (plan: ProcessPlan, watch: Watch): Promise<Supervised> => {
  const stopping = new AbortController();
  const signal = AbortSignal.any([watch.signal, stopping.signal]);
  let current: Child | null = null;
  let restarting: Promise<void> | null = null;

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
        watch.onCrash(report);
        if (watch.restart && !signal.aborted) restarting = restart(Date.now() - startedAt);
      },
    });
    try {
      await child.waitUntilReady(() => assertHealthy(plan.healthUrl), { ports: plan.ports, timeoutMs: READY_MS, signal });
      return child;
    } catch (error) {
      await child.stop();
      throw error;
    }
  };

  const restart = createRestarter({
    name: plan.name,
    log: watch.log,
    signal,
    logPath: `${watch.directory.logsDir}/${plan.name}.log`,
    start: async () => {
      current = await launch();
      watch.onRestarted();
      return `process ${current.pid}`;
    },
  });

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
