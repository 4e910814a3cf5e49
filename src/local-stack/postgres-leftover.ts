import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stopRecorded } from './pid-records.ts';
import { findProcessCommand, findProcessIdentity } from './process-identity.ts';

/** Fast first (waits for nobody, writes everything), then immediate (recovers at the next start). */
export const POSTGRES_STOP_SIGNALS = ['SIGINT', 'SIGQUIT'] as const;

/**
 * Stops the server that a killed launcher left on this data directory. It is known by its own pid
 * file and is ours only when its command line names the directory; any other process is not touched.
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
    // The pid belongs to somebody else by now; the server would take that for its own older self and refuse.
    await rm(pidFile, { force: true });
  }
}
