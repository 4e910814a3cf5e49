import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcessIdentity, isSameProcess } from './process-identity.ts';

export interface PidRecord {
  name: string;
  pid: number;
  identity: string;
  /** Sent in order before SIGKILL. */
  stopSignals: readonly NodeJS.Signals[];
}

export async function writePidRecord(
  pidsDir: string,
  name: string,
  pid: number,
  stopSignals: readonly NodeJS.Signals[],
): Promise<void> {
  const identity = findProcessIdentity(pid);
  if (identity === null) return;
  const record: PidRecord = { name, pid, identity, stopSignals };
  await writeFile(join(pidsDir, `${name}.json`), JSON.stringify(record), { mode: 0o600 });
}

export async function removePidRecord(pidsDir: string, name: string): Promise<void> {
  await rm(join(pidsDir, `${name}.json`), { force: true });
}

/**
 * Stops processes that a killed launcher left running. A process is signaled only when both its pid and its start time
 * match the record, so a reused pid is safe.
 */
export async function stopLeftovers(pidsDir: string, log: (line: string) => void): Promise<void> {
  const files = (await readdir(pidsDir)).filter((file) => file.endsWith('.json'));
  await Promise.all(
    files.map(async (file) => {
      const path = join(pidsDir, file);
      const record = parseRecord(await readFile(path, 'utf8'));
      if (record !== null && isSameProcess(record.pid, record.identity)) {
        log(`${record.name} (process ${record.pid}) was left running by an earlier start: stopping it`);
        await stopRecorded(record);
      }
      await rm(path, { force: true });
    }),
  );
}

export async function stopRecorded(record: PidRecord, stepMs = 10_000): Promise<void> {
  for (const signal of [...record.stopSignals, 'SIGKILL'] as const) {
    if (!isSameProcess(record.pid, record.identity)) return;
    process.kill(record.pid, signal);
    for (const end = Date.now() + stepMs; Date.now() < end; await sleep(50)) {
      if (!isSameProcess(record.pid, record.identity)) return;
    }
  }
}

function parseRecord(text: string): PidRecord | null {
  try {
    const record = JSON.parse(text) as Partial<PidRecord>;
    const isValid = typeof record.pid === 'number' && typeof record.identity === 'string';
    return isValid && Array.isArray(record.stopSignals) ? (record as PidRecord) : null;
  } catch {
    return null;
  }
}
