import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The first of the named programs found on the PATH of `env`, as a full path; null when there is none. */
export async function findProgram(names: readonly string[], env: Environment): Promise<string | null> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

interface RunOptions {
  env: Environment;
  timeoutMs: number;
  cwd?: string;
  signal?: AbortSignal | undefined;
  input?: string;
  owner?: { uid: number; gid: number } | undefined;
  onLine?: (line: string) => void;
}

interface RunResult {
  ok: boolean;
  /** Standard output and standard error, interleaved; the last 200 lines. */
  output: string;
}

/** Runs a program to its end; one that is missing, fails, takes too long or is aborted is `ok: false`. */
export async function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const tap = function* (line: unknown) {
    options.onLine?.(String(line));
    yield line;
  };
  const { env, cwd, input, signal, timeoutMs } = options;
  const result = await execa(command, args, {
    env: definedOf(env),
    extendEnv: false,
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    ...options.owner,
    stdout: tap,
    stderr: tap,
    all: true,
    reject: false,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    killDescendants: true,
  });
  const lines = result.all.split('\n').slice(-200);
  if (result.timedOut) lines.push(`stopped after ${Math.round(timeoutMs / 1_000)} seconds`);
  else if (result.failed && result.exitCode === undefined) lines.push(result.originalMessage ?? '');
  return { ok: !result.failed, output: lines.join('\n').trim() };
}

function definedOf(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * Wraps a command so that on Linux the kernel signals it when its parent dies, even by SIGKILL. `setpriv` sets this and then
 * executes the program, so the pid stays the same. Elsewhere, processes left behind are found by their pid records.
 */
export async function withDeathSignal(
  command: string,
  args: readonly string[],
  signal: NodeJS.Signals,
  env: Environment,
): Promise<[string, readonly string[]]> {
  if (process.platform !== 'linux') return [command, args];
  const setpriv = await findProgram(['setpriv'], env);
  if (setpriv === null) return [command, args];
  const help = await runProgram(setpriv, ['--help'], { env, timeoutMs: 5_000 });
  if (!help.output.includes('--pdeathsig')) return [command, args];
  return [setpriv, ['--pdeathsig', signal.replace('SIG', ''), '--', command, ...args]];
}
