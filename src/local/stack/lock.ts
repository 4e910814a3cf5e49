import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './local-stack-error.ts';
import { findProcessIdentity, isSameProcess } from './process-identity.ts';

export interface Lock {
  /** Safe to call twice; never removes a lock that another process has taken since. */
  release(): void;
}

export type LockAttempt = { lock: Lock } | { heldBy: number };

/** How long a lock file may be empty: its writer is between two system calls. */
const HALF_WRITTEN_MS = 2_000;

/** Takes the lock, or returns the pid of the running process that holds it. The lock of a dead process is taken over. */
export async function tryLock(path: string): Promise<LockAttempt> {
  for (;;) {
    const created = createLockFile(path);
    if (created !== null) return { lock: toLock(path, created) };
    const found = readLock(path);
    if (found === null) continue;
    const holder = parseHolder(found.text);
    if (holder !== null && isSameProcess(holder.pid, holder.identity)) return { heldBy: holder.pid };
    if (holder === null && found.ageMs < HALF_WRITTEN_MS) await sleep(50);
    else removeStale(path, found.text);
  }
}

/** The pid of the running process that holds the lock, which is not taken; null when nobody does. */
export function findLockHolder(path: string): number | null {
  const holder = parseHolder(readLock(path)?.text ?? '');
  return holder !== null && isSameProcess(holder.pid, holder.identity) ? holder.pid : null;
}

function createLockFile(path: string): string | null {
  const text = JSON.stringify({ pid: process.pid, identity: findProcessIdentity(process.pid) });
  try {
    const file = openSync(path, 'wx', 0o644);
    writeSync(file, text);
    closeSync(file);
    return text;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return null;
    throw error;
  }
}

/** Renames the file before comparing it: another process may have replaced it since it was read. */
function removeStale(path: string, staleText: string): void {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') === staleText) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function readLock(path: string): { text: string; ageMs: number } | null {
  try {
    return { text: readFileSync(path, 'utf8'), ageMs: Date.now() - statSync(path).mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function parseHolder(text: string): { pid: number; identity: string } | null {
  try {
    const { pid, identity } = JSON.parse(text) as { pid?: unknown; identity?: unknown };
    return typeof pid === 'number' && typeof identity === 'string' ? { pid, identity } : null;
  } catch {
    return null;
  }
}

function toLock(path: string, text: string): Lock {
  return {
    release() {
      if (readLock(path)?.text === text) rmSync(path, { force: true });
    },
  };
}
