import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Child, startChild } from './children.ts';
import { describeError, LocalStackError } from './local-stack-error.ts';
import type { OpenPostgres, ServiceOptions } from './open-service.ts';
import { stopRecorded } from './pid-records.ts';
import { onFreePort } from './ports.ts';
import { type Cluster, openCluster, POSTGRES_USER } from './postgres-cluster.ts';
import { findPostgresData } from './postgres-data.ts';
import { findPostgresOwner } from './postgres-owner.ts';
import { findPostgresPrograms, makeReachable } from './postgres-programs.ts';
import { findProcessCommand, findProcessIdentity } from './process-identity.ts';
import { runSql } from './sql.ts';

const APPLICATION_USER = 'tributary';

interface PostgresOptions extends ServiceOptions {
  port: number;
  database: string;
  /** Trades durability for speed: tests only. */
  unsafeFast?: boolean;
}

/**
 * Starts PostgreSQL on the data directory in `directory`, which is created if missing and recovered after a crash. The role
 * of `url` gets its password from the migrations: a new one for each start.
 */
export async function openPostgres(options: PostgresOptions): Promise<OpenPostgres> {
  const { directory, env, log, signal } = options;
  const [installed, owner] = await Promise.all([findPostgresPrograms(), findPostgresOwner(env)]);
  const cluster: Cluster = {
    programs: await makeReachable(installed, { owner, log }),
    owner,
    env,
    signal,
    dataDir: await findPostgresData({ directory, owner, log }),
    unsafeFast: options.unsafeFast ?? false,
  };
  await stopLeftoverPostgres(cluster.dataDir, log);
  const password = await openCluster(cluster);
  return onFreePort(
    options.port,
    async (port) => {
      const server = `postgresql://${POSTGRES_USER}:${password}@127.0.0.1:${port}`;
      const applicationPassword = randomBytes(18).toString('base64url');
      const child = await startServer(options, cluster, port);
      try {
        const probe = () => runSql(`${server}/postgres`, 'select 1');
        await child.waitUntilReady(probe, { ports: [port], timeoutMs: 120_000, signal });
        await createDatabase(`${server}/postgres`, options.database);
      } catch (error) {
        await child.stop();
        throw error;
      }
      const url = `postgresql://${APPLICATION_USER}:${applicationPassword}@127.0.0.1:${port}/${options.database}`;
      return { url, ownerUrl: `${server}/${options.database}`, pid: child.pid, close: () => child.stop() };
    },
    options.exactPorts,
  );
}

function startServer(options: PostgresOptions, cluster: Cluster, port: number): Promise<Child> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
  // A killed server keeps its commits; only a crash of the machine loses them.
  if (options.unsafeFast) settings.push('fsync=off', 'full_page_writes=off');
  return startChild({
    name: 'postgres',
    command: cluster.programs.postgres,
    args: ['-D', cluster.dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    env: { ...options.env, LC_ALL: 'C.UTF-8' },
    owner: cluster.owner,
    // The current folder may be one that this user cannot enter.
    cwd: dirname(cluster.dataDir),
    stopSignals: POSTGRES_STOP_SIGNALS,
    logsDir: options.directory.logsDir,
    pidsDir: options.directory.pidsDir,
    onCrash: options.onCrash,
  });
}

async function createDatabase(serverUrl: string, name: string): Promise<void> {
  const found = await runSql(serverUrl, `select 1 from pg_database where datname = '${name}'`);
  if (found.length === 0) await runSql(serverUrl, `create database "${name}"`);
}

/** The existing server at DATABASE_URL; only checks that it responds. */
export async function usePostgres(databaseUrl: string, ownerUrl = databaseUrl): Promise<OpenPostgres> {
  // The role of DATABASE_URL may not exist before the first migration.
  await runSql(ownerUrl, 'select 1').catch((error: unknown) => {
    throw new LocalStackError(
      `DATABASE_URL is set, but PostgreSQL cannot be used there: ${describeError(error)}. Check host, port, password and that the database exists, or unset DATABASE_URL to get a local one.`,
    );
  });
  return { url: databaseUrl, ownerUrl, pid: null, close: async () => {} };
}

/** Fast shutdown first (closes connections and flushes), then immediate (recovers at the next start). */
const POSTGRES_STOP_SIGNALS = ['SIGINT', 'SIGQUIT'] as const;

/**
 * Stops the server that a killed launcher left running on this data directory. Its pid file names it; a process whose
 * command line does not name the directory is not touched.
 */
async function stopLeftoverPostgres(dataDir: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  const identity = findProcessIdentity(pid);
  if (identity === null) return;
  if (findProcessCommand(pid)?.includes(`-D ${dataDir} `)) {
    log(`PostgreSQL (process ${pid}) was left running by an earlier start: stopping it`);
    await stopRecorded({ name: 'postgres', pid, identity, stopSignals: POSTGRES_STOP_SIGNALS });
  } else {
    // The pid now belongs to another process; PostgreSQL would take it for a running server and not start.
    await rm(pidFile, { force: true });
  }
}
