import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stopRecorded } from './pid-records.ts';
import { findProcessCommand, findProcessIdentity } from './process-identity.ts';

/** Fast shutdown first (closes connections and flushes), then immediate (recovers at the next start). */
export const POSTGRES_STOP_SIGNALS = ['SIGINT', 'SIGQUIT'] as const;

/**
 * Stops the server that a killed launcher left running on this data directory. Its pid file names it; a process whose
 * command line does not name the directory is not touched.
 */
export async function stopLeftoverPostgres(dataDir: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  const identity = findProcessIdentity(pid);
  if (identity === null) return;
  if (findProcessCommand(pid)?.includes(`-D ${dataDir} `)) {
    log(`PostgreSQL (process ${pid}) was left running by an earlier start: stopping it`);
    await stopRecorded({ name: 'postgres', pid, identity, stopSignals: POSTGRES_STOP_SIGNALS });
  } else {
    // The pid now belongs to another process; PostgreSQL would take it for a running server and not start.
    await rm(pidFile, { force: true });
  }
}
