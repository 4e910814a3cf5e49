import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findCause, openLog, readLastLines } from './child-log.ts';
import { assertListening } from './listening.ts';
import { describeError, LocalStackError } from './local-stack-error.ts';
import { removePidRecord, writePidRecord } from './pid-records.ts';
import { type Environment, withDeathSignal } from './programs.ts';

export interface ChildOptions {
  /** Also the name of its log (`<logsDir>/<name>.log`) and of its pid record. */
  name: string;
  command: string;
  args: readonly string[];
  env: Environment;
  logsDir: string;
  pidsDir: string;
  cwd?: string;
  /** The user it runs as; only root may choose one. */
  owner?: { uid: number; gid: number } | undefined;
  /** Sent in order, `stopTimeoutMs` (default: 10 s) apart, before SIGKILL. Default: SIGTERM. */
  stopSignals?: readonly NodeJS.Signals[];
  stopTimeoutMs?: number;
  /** Creates its files for this user only. */
  privateFiles?: boolean;
  /** Called once, with the last log lines, when the child ends on its own. A start that fails throws instead. */
  onCrash?: ((report: string) => void) | undefined;
}

export interface ReadyOptions {
  /** Those on which the child itself must listen, whoever answers the probe. */
  ports?: readonly number[];
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const running = new Set<Child>();
process.on('exit', () => {
  for (const child of running) child.signalOnce();
});

/**
 * Starts a program that writes its output to its log. It runs in its own session, so Ctrl-C in the terminal reaches only
 * the launcher, which stops its children in order.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const stopSignals = options.stopSignals ?? ['SIGTERM'];
  const log = openLog(options.logsDir, options.name);
  try {
    const [command, args] = await withDeathSignal(options.command, options.args, stopSignals[0] ?? 'SIGTERM', options.env);
    const start = (): ChildProcess =>
      spawn(command, args, {
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        env: { ...options.env },
        ...options.owner,
        detached: true,
        stdio: ['ignore', log.file, log.file],
      });
    const spawned = options.privateFiles ? withUmask(0o077, start) : start();
    await once(spawned, 'spawn');
    const child = new Child(spawned, { ...options, stopSignals }, log.path, log.size);
    await writePidRecord(options.pidsDir, options.name, child.pid, stopSignals);
    return child;
  } catch (error) {
    throw new LocalStackError(`${options.name} could not be started (${options.command}): ${describeError(error)}`);
  } finally {
    closeSync(log.file);
  }
}

/** A child inherits the mask. Nothing else runs in between, because spawning is synchronous. */
function withUmask<T>(mask: number, run: () => T): T {
  const before = process.umask(mask);
  try {
    return run();
  } finally {
    process.umask(before);
  }
}

export class Child {
  readonly name: string;
  readonly pid: number;
  readonly logPath: string;
  /** Resolves when the process has exited, for any reason. */
  readonly exited: Promise<void>;
  readonly #process: ChildProcess;
  readonly #options: ChildOptions & { stopSignals: readonly NodeJS.Signals[] };
  readonly #logStart: number;
  #expected: 'running' | 'starting' | 'stopping' = 'running';

  constructor(
    spawned: ChildProcess,
    options: ChildOptions & { stopSignals: readonly NodeJS.Signals[] },
    logPath: string,
    logStart: number,
  ) {
    this.#process = spawned;
    this.#options = options;
    this.#logStart = logStart;
    this.name = options.name;
    this.pid = spawned.pid ?? 0;
    this.logPath = logPath;
    running.add(this);
    this.exited = this.isRunning() ? once(spawned, 'exit').then(() => this.#ended()) : this.#ended();
  }

  isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  lastLines(count = 20): string {
    return readLastLines(this.logPath, this.#logStart, count);
  }

  /** Calls `probe` until it succeeds; throws with the last log lines when the child exits or after `timeoutMs`. */
  async waitUntilReady(probe: () => Promise<unknown>, { ports = [], timeoutMs, signal }: ReadyOptions): Promise<void> {
    this.#expected = 'starting';
    let problem = 'no response yet';
    for (const end = Date.now() + timeoutMs; ; await sleep(50)) {
      signal?.throwIfAborted();
      if (!this.isRunning()) throw new LocalStackError(this.#crashReport());
      try {
        await assertListening(this.pid, ports);
        await probe();
        if (this.isRunning()) break;
      } catch (error) {
        problem = describeError(error);
      }
      if (Date.now() > end) {
        throw new LocalStackError(
          `${this.name} was not ready after ${timeoutMs / 1_000} s (${problem}). The end of ${this.logPath}:\n${this.lastLines()}`,
        );
      }
    }
    this.#expected = 'running';
  }

  /** Takes bounded time; safe to call twice and after a crash. */
  async stop(): Promise<void> {
    this.#expected = 'stopping';
    const stepMs = this.#options.stopTimeoutMs ?? 10_000;
    for (const signal of [...this.#options.stopSignals, 'SIGKILL'] as const) {
      if (!this.isRunning()) break;
      this.#process.kill(signal);
      await Promise.race([this.exited, sleep(stepMs, undefined, { ref: false })]);
    }
    await this.exited;
  }

  /** For the exit handler of the launcher, which cannot wait. */
  signalOnce(): void {
    if (this.isRunning()) this.#process.kill(this.#options.stopSignals[0] ?? 'SIGTERM');
  }

  async #ended(): Promise<void> {
    running.delete(this);
    if (this.#expected === 'running') this.#options.onCrash?.(this.#crashReport());
    await removePidRecord(this.#options.pidsDir, this.name).catch(() => {});
  }

  #crashReport(): string {
    const how = this.#process.signalCode ?? `code ${this.#process.exitCode}`;
    const end = this.lastLines();
    const cause = findCause(this.logPath, this.#logStart);
    const why = cause === null || end.includes(cause) ? '' : `: ${cause}`;
    return `${this.name} ended unexpectedly (${how})${why}. The end of ${this.logPath}:\n${end}`;
  }
}
