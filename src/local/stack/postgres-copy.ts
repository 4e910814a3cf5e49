import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { findClosedFolder, type Owner } from './postgres-owner.ts';
import type { PostgresPrograms } from './postgres-programs.ts';
import { openReachableFolder } from './reachable-folder.ts';

const CACHE_PARENTS = ['/var/cache', '/var/lib', '/var/tmp'];

export interface CopyOptions {
  owner: Owner | undefined;
  log: (line: string) => void;
  /** Folders in which the copy may be made. */
  parents?: readonly string[];
}

/** The programs themselves, or their copy when the user that runs PostgreSQL cannot enter a folder above them. */
export async function makeReachable(programs: PostgresPrograms, options: CopyOptions): Promise<PostgresPrograms> {
  const { owner, log, parents = CACHE_PARENTS } = options;
  const closed = owner === undefined ? null : await findClosedFolder(programs.postgres, owner);
  if (owner === undefined || closed === null) return programs;
  const source = dirname(dirname(programs.postgres));
  const target = join(await openReachableFolder(parents, owner), `postgres-${programs.version}`);
  if (!(await exists(target))) {
    log(`PostgreSQL runs as the user "postgres", which cannot enter ${closed}: copying its programs to ${target} (60 MB, once)`);
    await copyFolder(source, target);
  }
  const moved = (path: string): string => join(target, relative(source, path));
  return { version: programs.version, postgres: moved(programs.postgres), initdb: moved(programs.initdb) };
}

/** The target appears complete or not at all, so that an interrupted copy is repeated. */
async function copyFolder(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const incomplete = await mkdtemp(join(dirname(target), `${basename(target)}.new-`));
  try {
    await cp(source, incomplete, { recursive: true, verbatimSymlinks: true });
    await openToAll(incomplete);
    await rename(incomplete, target);
  } catch (error) {
    await rm(incomplete, { recursive: true, force: true });
    // Another start may have been faster.
    if (!(await exists(target))) throw error;
  }
}

/** An installation under a strict umask is readable by its user only. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
