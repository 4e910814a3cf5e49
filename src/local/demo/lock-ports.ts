import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, tryLock } from '../stack/lock.ts';

const WAIT_MS = 60_000;
const POLL_MS = 100;

/**
 * Systems of one user choose their ports one after the other. A port is only taken once its process listens, so two systems
 * that start at the same time would choose the same ones, and one would take the other's API for its own. Without the lock
 * after a minute, the system starts anyway.
 */
export const lockPorts = async (signal: AbortSignal): Promise<Lock> => {
  const path = join(tmpdir(), `tributary-ports-${process.getuid?.() ?? 0}.lock`);
  for (const end = Date.now() + WAIT_MS; Date.now() < end && !signal.aborted; await sleep(POLL_MS)) {
    const attempt = await tryLock(path);
    if ('lock' in attempt) return attempt.lock;
  }
  return { release: () => {} };
};
