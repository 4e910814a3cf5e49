import { chmod, lstat, mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode, LocalStackError } from './local-stack-error.ts';
import { tryLock } from './lock.ts';
import { stopLeftovers } from './pid-records.ts';
import { findClosedFolder, type Owner } from './postgres-owner.ts';

export interface DataDirectory {
  path: string;
  logsDir: string;
  pidsDir: string;
}

/** A new database and the first logs need about 60 MB; the rest is headroom. */
const MIN_FREE_BYTES = 200 * 1024 * 1024;

/** Creates the folder if needed and checks that it is writable; existing files stay. */
export async function prepareDataDirectory(path: string, minFreeBytes = MIN_FREE_BYTES): Promise<DataDirectory> {
  const directory = { path, logsDir: join(path, 'logs'), pidsDir: join(path, 'pids') };
  try {
    // Not listable by other users; the user that runs PostgreSQL can pass through.
    await mkdir(path, { recursive: true, mode: 0o711 });
    await mkdir(directory.logsDir, { recursive: true });
    await mkdir(directory.pidsDir, { recursive: true, mode: 0o700 });
    await chmod(directory.pidsDir, 0o700);
    const probe = join(path, `.probe-${process.pid}`);
    await writeFile(probe, Buffer.alloc(64 * 1024));
    await rm(probe);
  } catch (error) {
    throw new LocalStackError(explainDataDirectoryError(path, errorCode(error) ?? String(error)));
  }
  const { bavail, bsize } = await statfs(path);
  if (bavail * bsize < minFreeBytes) {
    throw new LocalStackError(
      `Only ${toMegabytes(bavail * bsize)} MB are free on the disk of ${path}; at least ${toMegabytes(minFreeBytes)} MB are required. Free some space and start again.`,
    );
  }
  return directory;
}

export function explainDataDirectoryError(path: string, code: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk of ${path} is full. Free at least ${toMegabytes(MIN_FREE_BYTES)} MB and start again.`;
    case 'EROFS':
      return `${path} is on a read-only file system. Mount it writable, or run from a copy of the project on a writable disk.`;
    case 'EACCES':
    case 'EPERM':
      return `This user cannot write to ${path}. Change the owner of the folder (chown -R "$(id -un)" ${path}; chmod -R u+w ${path}) and start again.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} exists and is not a folder. Move it away and start again.`;
    default:
      return `The data folder ${path} cannot be used (${code}). Make it a folder this user can write to and start again.`;
  }
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}

const PREFIX = 'tributary-test-';

/** On Linux, usually a file system in memory; containers often have a small one. */
const MEMORY = '/dev/shm';
const TMPFS_TYPE = 0x0102_1994;
/** 24 files of API tests took 130 MB at most: databases are dropped after their file. The rest is headroom. */
const MIN_FREE_MEMORY_FOLDER_BYTES = 2 * 1024 ** 3;
/** For what is stored and for the processes of the run. */
const MIN_FREE_MEMORY_BYTES = 6 * 1024 ** 3;

async function hasRoomInMemory(): Promise<boolean> {
  const found = await statfs(MEMORY).catch(() => null);
  if (found?.type !== TMPFS_TYPE || found.bavail * found.bsize < MIN_FREE_MEMORY_FOLDER_BYTES) return false;
  return process.availableMemory() >= MIN_FREE_MEMORY_BYTES;
}

/**
 * Creates a folder for one run, in a temporary directory that the PostgreSQL user can enter. `inMemory`: preferably in memory. A
 * database is a thousand files, and ext4 takes the longer to create them, the more files were deleted in the minutes before.
 */
export async function makeTemporaryDirectory(owner: Owner | undefined, inMemory: boolean): Promise<string> {
  const memory = inMemory && (await hasRoomInMemory()) ? [MEMORY] : [];
  for (const parent of new Set([...memory, tmpdir(), '/tmp', '/var/tmp'])) {
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
