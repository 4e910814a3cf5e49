import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import { tryLock } from './lock.ts';
import { stopLeftovers } from './pid-records.ts';
import { findClosedFolder, type Owner } from './postgres-owner.ts';

const PREFIX = 'tributary-test-';

/** Creates a folder for one run, in a temporary directory that the PostgreSQL user can enter. */
export async function makeTemporaryDirectory(owner: Owner | undefined): Promise<string> {
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    if (owner !== undefined && (await findClosedFolder(join(parent, PREFIX), owner)) !== null) continue;
    const path = await mkdtemp(join(parent, PREFIX));
    await chmod(path, 0o711);
    return path;
  }
  throw new LocalStackError(
    'The user "postgres" cannot enter any temporary directory: set TMPDIR to one that all users can enter.',
  );
}

/**
 * Stops and removes what killed test runs left behind. Only folders of the current user: any user can write to the
 * temporary directory, and the pid records of others are not trusted.
 */
export async function removeAbandonedDirectories(parent: string, log: (line: string) => void): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    const found = await lstat(path).catch(() => null);
    if (found === null || !found.isDirectory() || found.uid !== process.getuid?.()) continue;
    // A folder this new may not be locked yet.
    if (Date.now() - found.ctimeMs < 60_000) continue;
    if ('heldBy' in (await tryLock(join(path, 'lock')))) continue;
    await stopLeftovers(join(path, 'pids'), log).catch(() => {});
    await rm(path, { recursive: true, force: true });
  }
}
