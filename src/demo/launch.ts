import { enableCompileCache } from 'node:module';
import { dataFolderOf } from '../installation/data-folder.ts';
import { describeError, LocalStackError } from '../local-stack/local-stack-error.ts';
import type { Environment } from '../local-stack/programs.ts';
import { runDemoScenario } from './demo-scenario.ts';
import { openSystem, type System } from './open-system.ts';
import { compileCacheIn } from './processes.ts';
import { describeDemo, describeSystem } from './summary.ts';

export interface LaunchOptions {
  /** End after the main job instead of staying up. */
  once: boolean;
  env: Environment;
}

/** A second signal within this time is the same Ctrl-C: the terminal and npm both send one. */
const SAME_SIGNAL_MS = 2_000;
/** Longer than all drains together. */
const CLOSE_MS = 120_000;

/** Runs until it is told to stop, or with `once` until the main job is done. The result is the exit code. */
export const launch = async ({ once, env }: LaunchOptions): Promise<number> => {
  const folder = dataFolderOf(env);
  enableCompileCache(compileCacheIn(folder));
  const stopping = listenForSignals();
  const crash = Promise.withResolvers<never>();
  // Looked at only while the main job runs.
  crash.promise.catch(() => {});
  const onCrash = (report: string): void => {
    log(`\n${report}\n`);
    crash.reject(new LocalStackError('A process ended while the main job ran.'));
  };
  let system: System | null = null;
  try {
    system = await openSystem({ folder, env, log, signal: stopping.signal, onCrash, restart: !once });
    log(`\n${describeSystem(system.stack, folder, system.logsDir)}`);
    const ran = await reportDemo(system, env, once ? [crash.promise] : [], stopping.signal);
    if (once || stopping.signal.aborted) return ran ? 0 : 1;
    log('Ctrl-C stops everything; the data stays.');
    await aborted(stopping.signal);
    return 0;
  } catch (error) {
    if (!stopping.signal.aborted) warn(error instanceof LocalStackError ? error.message : stackOf(error));
    else log('Stopped before everything was up.');
    return 1;
  } finally {
    if (system) await close(system);
  }
};

/** False when the main job did not succeed, which was then said. */
const reportDemo = async (
  system: System,
  env: Environment,
  failing: readonly Promise<never>[],
  signal: AbortSignal,
): Promise<boolean> => {
  try {
    const interrupted = aborted(signal).then((): never => {
      throw new LocalStackError('Stopped before the main job was done.');
    });
    const result = await Promise.race([runDemoScenario(system.scenario), interrupted, ...failing]);
    log(describeDemo(result, system.stack, env['TEMPORAL_NAMESPACE'] || 'default'));
    log(`From the command to the delivered payout: ${(performance.now() / 1_000).toFixed(1)} s`);
    return true;
  } catch (error) {
    warn(`The main job did not succeed. ${describeError(error)}\nThe logs of all processes: ${system.logsDir}`);
    return false;
  }
};

const close = async (system: System): Promise<void> => {
  log('Stopping…');
  const late = setTimeout(() => {
    warn('Not everything stopped in time.');
    process.exit(1);
  }, CLOSE_MS);
  await system.close();
  clearTimeout(late);
  log('Stopped.');
};

const listenForSignals = (): AbortController => {
  const stopping = new AbortController();
  let first = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (first === 0) first = Date.now();
      if (stopping.signal.aborted && Date.now() - first > SAME_SIGNAL_MS) process.exit(130);
      stopping.abort();
    });
  }
  return stopping;
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const log = (line: string): void => void process.stdout.write(`${line}\n`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);
const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
