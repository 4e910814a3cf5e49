import { chmod, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDirectory } from './data-directory.ts';
import { LocalStackError } from './local-stack-error.ts';
import { assertReachable, findClosedFolder, type Owner, openReachableFolder } from './postgres-owner.ts';

const DATA_PARENTS = ['/var/lib', '/var/tmp'];

export interface PostgresDataOptions {
  directory: DataDirectory;
  owner: Owner | undefined;
  log: (line: string) => void;
  /** Folders in which the data may be placed. */
  parents?: readonly string[];
}

/**
 * The data directory of PostgreSQL: `postgres` in the data folder. When the user that runs PostgreSQL cannot enter a folder
 * above it, a folder of its own elsewhere, which `postgres-location` in the data folder names from then on.
 */
export async function findPostgresData(options: PostgresDataOptions): Promise<string> {
  const { directory, owner } = options;
  const usual = join(directory.path, 'postgres');
  const locationFile = join(directory.path, 'postgres-location');
  const known = await readFile(locationFile, 'utf8').catch(() => null);
  if (known !== null) return checkKnown(known.trim(), locationFile, owner);
  const closed = owner === undefined ? null : await findClosedFolder(usual, owner);
  if (owner === undefined || closed === null) return usual;
  // Existing data is not moved, and not replaced by an empty database.
  if (await exists(usual)) await assertReachable(usual, owner);
  return join(await placeElsewhere(options, owner, { closed, locationFile }), 'postgres');
}

async function placeElsewhere(
  { log, parents = DATA_PARENTS }: PostgresDataOptions,
  owner: Owner,
  { closed, locationFile }: { closed: string; locationFile: string },
): Promise<string> {
  const folder = await mkdtemp(join(await openReachableFolder(parents, owner), 'data-'));
  await chmod(folder, 0o711);
  await writeFile(`${locationFile}.new`, `${folder}\n`, { mode: 0o600 });
  await rename(`${locationFile}.new`, locationFile);
  log(`PostgreSQL runs as the user "postgres", which cannot enter ${closed}: its data is in ${folder} (see ${locationFile})`);
  return folder;
}

async function checkKnown(folder: string, locationFile: string, owner: Owner | undefined): Promise<string> {
  if (!(await exists(folder))) {
    throw new LocalStackError(
      `${locationFile} names ${folder}, which does not exist. Restore that folder, or remove ${locationFile} to start with a new database.`,
    );
  }
  const path = join(folder, 'postgres');
  await assertReachable(path, owner);
  return path;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
