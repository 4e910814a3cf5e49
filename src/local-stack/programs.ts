import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

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

export interface RunOptions {
  env: Environment;
  timeoutMs: number;
  cwd?: string;
  signal?: AbortSignal | undefined;
  input?: string;
  owner?: { uid: number; gid: number } | undefined;
  onLine?: (line: string) => void;
}

export interface RunResult {
  ok: boolean;
  /** Both outputs together, in the order they came, the last 200 lines. */
  output: string;
}

/** Runs a program to its end; a program that is missing, broken, too slow or aborted is `ok: false`. */
export async function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const lines: string[] = [];
  const note = (line: string): void => {
    lines.push(line);
    if (lines.length > 200) lines.shift();
    options.onLine?.(line);
  };
  const limit = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  const ok = await new Promise<boolean>((resolve) => {
    // A process group of its own: what the program started itself is ended together with it.
    const child = spawn(command, args, {
      env: { ...options.env },
      cwd: options.cwd,
      ...options.owner,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const end = (): void => killGroup(child.pid);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    createInterface({ input: child.stdout }).on('line', note);
    createInterface({ input: child.stderr }).on('line', note);
    child.stdin.on('error', () => {});
    child.stdin.end(options.input);
    child.once('error', (error) => {
      note(error.message);
      resolve(false);
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', end);
      resolve(code === 0);
    });
  });
  if (!ok && limit.aborted) note(`stopped after ${Math.round(options.timeoutMs / 1_000)} seconds`);
  return { ok, output: lines.join('\n') };
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended on its own meanwhile.
  }
}
