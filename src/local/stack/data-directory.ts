import { chmod, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, LocalStackError } from './local-stack-error.ts';

export interface DataDirectory {
  path: string;
  logsDir: string;
  pidsDir: string;
}

/** A new database and the first logs need about 60 MB; the rest is headroom. */
export const MIN_FREE_BYTES = 200 * 1024 * 1024;

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
