import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import { findClosedFolder, type Owner } from './postgres-owner.ts';

/**
 * The folder `tributary` in the first of these parents that the owner can enter; created if missing. Only root can write to
 * it: in a parent such as /var/tmp, any user could have put a folder of that name there.
 */
export async function openReachableFolder(parents: readonly string[], owner: Owner): Promise<string> {
  for (const parent of parents) {
    const path = join(parent, 'tributary');
    if (await isUsable(path, owner).catch(() => false)) return path;
  }
  throw new LocalStackError(
    `PostgreSQL runs as the user "postgres", and none of ${parents.join(', ')} is a folder it can enter. Move the project to a folder that all users can enter, such as /srv/tributary, or set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}

async function isUsable(path: string, owner: Owner): Promise<boolean> {
  if ((await findClosedFolder(path, owner)) !== null) return false;
  const isNew = (await mkdir(path, { recursive: true })) !== undefined;
  if (isNew) await chmod(path, 0o755);
  const found = await lstat(path);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0 && (found.mode & 0o001) !== 0;
}
