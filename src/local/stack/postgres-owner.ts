import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import { type Environment, runProgram } from './programs.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * The user that runs PostgreSQL, which does not run as root: for root the user `postgres`, created if missing; undefined
 * (the current user) otherwise.
 */
export async function findPostgresOwner(env: Environment): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = await readIds(env);
  if (found !== null) return found;
  const created = await runProgram('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], {
    env,
    timeoutMs: 30_000,
  });
  const ids = await readIds(env);
  if (ids !== null) return ids;
  throw new LocalStackError(
    `PostgreSQL does not run as root, and the user "postgres" could not be created (${created.output}). Create it (useradd --system postgres), or start as a regular user.`,
  );
}

async function readIds(env: Environment): Promise<Owner | null> {
  const run = (flag: string) => runProgram('id', [flag, 'postgres'], { env, timeoutMs: 5_000 });
  const [uid, gid] = await Promise.all([run('-u'), run('-g')]);
  return uid.ok && gid.ok ? { uid: Number(uid.output), gid: Number(gid.output) } : null;
}

/** The outermost folder above `path` that the owner cannot enter; null when there is none. */
export async function findClosedFolder(path: string, owner: Owner): Promise<string | null> {
  const folders: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return folder;
  }
  return null;
}

/** Without this check the server fails later, with a misleading message about a missing file. */
export async function assertReachable(path: string, owner: Owner | undefined): Promise<void> {
  const closed = owner === undefined ? null : await findClosedFolder(path, owner);
  if (closed === null) return;
  throw new LocalStackError(
    [
      `PostgreSQL cannot reach ${path}: when started by root, it runs as the user "postgres", which cannot enter ${closed}. Do one of these:`,
      `  - allow it to pass through (it still cannot list the folder): chmod o+x ${closed}`,
      '  - move the project to a folder that all users can enter, such as /srv/tributary',
      '  - set DATABASE_URL to a PostgreSQL server of your own',
    ].join('\n'),
  );
}

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
