import { enableCompileCache } from 'node:module';
import { StartupError } from '../../platform/startup-error.ts';
import { dataFolderOf } from '../installation/data-folder.ts';
import { describeError, LocalStackError } from '../stack/local-stack-error.ts';
import { portNote } from '../stack/ports.ts';
import type { Environment } from '../stack/programs.ts';
import { runDemoScenario } from './demo-scenario.ts';
import { openSystem, type System } from './open-system.ts';
import { compileCacheIn } from './processes.ts';
import { describeDemo, describeSystem, namespaceOf } from './summary.ts';
import { USUAL_API_PORT } from './system-ports.ts';

export interface LaunchOptions {
  /** Exit after the demo scenario instead of staying up. */
  once: boolean;
  /** The port of the API; null takes the usual one or the next free one. */
  port: number | null;
  env: Environment;
}

/** A second signal within this time is the same Ctrl-C: the terminal and npm both send one. */
const SAME_SIGNAL_MS = 2_000;
/** Longer than the stop timeouts of all processes together. */
const CLOSE_MS = 120_000;

/** Runs until it is stopped, or with `once` until the demo scenario is done. Resolves to the exit code. */
export const launch = async ({ once, port, env }: LaunchOptions): Promise<number> => {
  const folder = dataFolderOf(env);
  enableCompileCache(compileCacheIn(folder));
  const stopping = listenForSignals();
  const crash = Promise.withResolvers<never>();
  // Awaited only while the demo scenario runs.
  crash.promise.catch(() => {});
  const onCrash = (report: string): void => {
    log(`\n${report}\n`);
    crash.reject(new LocalStackError('A process exited during the demo.'));
  };
  let system: System | null = null;
  try {
    system = await openSystem({ folder, env, port, log: step, signal: stopping.signal, onCrash, restart: !once });
    const note = portNote(Number(new URL(system.stack.origin).port), port ?? USUAL_API_PORT);
    const { logsDir, signInLinks } = system;
    const places = { folder, logsDir, smtpUrl: env['SMTP_URL'], portNote: note, namespace: namespaceOf(env), signInLinks };
    log(`\n${describeSystem(system.stack, places)}`);
    const ran = await reportDemo(system, env, once ? [crash.promise] : [], stopping.signal);
    if (once || stopping.signal.aborted) return ran ? 0 : 1;
    log('Press Ctrl-C to stop. Data is kept between runs.');
    await aborted(stopping.signal);
    return 0;
  } catch (error) {
    if (!stopping.signal.aborted) warn(isForUser(error) ? error.message : stackOf(error));
    else log('Stopped during startup.');
    return 1;
  } finally {
    if (system) await close(system, stopping.signal);
  }
};

/** False when the demo scenario failed; the error has been printed. */
const reportDemo = async (
  system: System,
  env: Environment,
  failing: readonly Promise<never>[],
  signal: AbortSignal,
): Promise<boolean> => {
  try {
    const interrupted = aborted(signal).then((): never => {
      throw new LocalStackError('Stopped before the demo was done.');
    });
    const result = await Promise.race([runDemoScenario(system.scenario), interrupted, ...failing]);
    log(`\n${describeDemo(result, system.stack, namespaceOf(env))}`);
    log(`Total time from start to completed payout: ${(performance.now() / 1_000).toFixed(1)} s`);
    return true;
  } catch (error) {
    warn(`The demo failed. ${describeError(error)}\nLogs of all processes: ${system.logsDir}`);
    return false;
  }
};

const close = async (system: System, signal: AbortSignal): Promise<void> => {
  log(signal.aborted ? `Stopping on ${String(signal.reason)}…` : 'Stopping…');
  const late = setTimeout(() => {
    warn('Some processes did not stop in time.');
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
      stopping.abort(name);
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
/** With the time since the start. */
const step = (line: string): void => log(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${line}`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);
const isForUser = (error: unknown): error is Error => error instanceof LocalStackError || error instanceof StartupError;
const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
