import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  type DataDirectory,
  makeTemporaryDirectory,
  prepareDataDirectory,
  removeAbandonedDirectories,
} from './data-directory.ts';
import { keepRunning, type Opening } from './keep-running.ts';
import { LocalStackError } from './local-stack-error.ts';
import { type Lock, tryLock } from './lock.ts';
import type { OpenPostgres, OpenService, ServiceOptions } from './open-service.ts';
import { stopLeftovers } from './pid-records.ts';
import { portNote } from './ports.ts';
import { openPostgres, usePostgres } from './postgres.ts';
import { findPostgresOwner } from './postgres-owner.ts';
import { openRedis, useRedis } from './redis.ts';
import { type ClusterOptions, type OpenTemporal, openTemporal, useTemporal } from './temporal.ts';

export { type Child, type ChildOptions, startChild } from './children.ts';
export { LocalStackError } from './local-stack-error.ts';
export { findFreePort, onFreePort } from './ports.ts';

export interface LocalStackOptions extends Omit<ServiceOptions, 'directory'> {
  /**
   * A folder whose data is kept between runs (npm start), on the usual ports or the next free ones; or `temporary`: a new
   * folder that is removed on close, in memory where there is room, random ports, no durability.
   */
  data: { folder: string } | 'temporary';
  /** Starts a service again, with the same address, whenever it exits on its own. */
  restart?: boolean;
  onRestarted?: () => void;
  /** Makes commits of a temporary stack wait for the disk, for benchmarks. */
  durable?: boolean;
  /** Called with one line when a service is ready. */
  onReady?: (line: string) => void;
  /** Namespaces and their retention; TLS and key of the cluster at TEMPORAL_ADDRESS. */
  temporalCluster?: ClusterOptions;
}

export interface LocalStack {
  /** The role of the application: `migrate` creates it and grants what it may do. */
  databaseUrl: string;
  /** The role that owns the tables. */
  ownerDatabaseUrl: string;
  redisUrl: string;
  /** `host:port` of the gRPC service. */
  temporalAddress: string;
  /** Null when the Temporal server runs without its UI (tests). */
  temporalUiUrl: string | null;
  /** As of now. Null for a service that runs elsewhere or is being started again. */
  pids: { postgres: number | null; redis: number | null; temporal: number | null };
  directory: DataDirectory;
  /** Stops what was started here in bounded time; the second call waits for the first. */
  close(): Promise<void>;
}

interface Ports {
  postgres: number;
  redis: number;
  temporal: number;
  temporalUi: number | null;
}

export const USUAL_PORTS = { postgres: 5433, redis: 6380, temporal: 7233, temporalUi: 8233 } as const satisfies Ports;
const ANY_PORTS: Ports = { postgres: 0, redis: 0, temporal: 0, temporalUi: null };

/**
 * Starts Postgres, Redis and Temporal. DATABASE_URL (with MIGRATION_DATABASE_URL for the owner), REDIS_URL and TEMPORAL_ADDRESS in
 * `env` name existing servers to use instead; a temporary stack ignores them, so tests never touch a real database. When one of the three fails, the others
 * are closed and its error is thrown.
 */
export async function openLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const isTemporary = options.data === 'temporary';
  const path = options.data === 'temporary' ? await makeOwnDirectory(options) : resolve(options.data.folder);
  const directory = await prepareDataDirectory(path);
  const lock = await lockDirectory(path);
  const release = async (): Promise<void> => {
    lock.release();
    if (isTemporary) await rm(path, { recursive: true, force: true });
  };
  try {
    await stopLeftovers(directory.pidsDir, options.log);
    const services = await openServices({ ...options, directory }, isTemporary);
    return toLocalStack(services, directory, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function makeOwnDirectory({ env, log, durable }: LocalStackOptions): Promise<string> {
  const path = await makeTemporaryDirectory(await findPostgresOwner(env), !durable && !env['TMPDIR']);
  for (const parent of new Set([dirname(path), tmpdir()])) await removeAbandonedDirectories(parent, log);
  return path;
}

async function lockDirectory(path: string): Promise<Lock> {
  const attempt = await tryLock(join(path, 'lock'));
  if ('lock' in attempt) return attempt.lock;
  throw new LocalStackError(
    `Tributary is already running on ${path} (process ${attempt.heldBy}). Stop it first: Ctrl-C where it runs, or kill ${attempt.heldBy}.`,
  );
}

interface Services {
  postgres: OpenPostgres;
  redis: OpenService;
  temporal: OpenTemporal;
}

async function openServices(options: LocalStackOptions & { directory: DataDirectory }, isTemporary: boolean): Promise<Services> {
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const shared = { ...options, signal };
  const ports: Ports = isTemporary ? ANY_PORTS : USUAL_PORTS;
  const ready = <S extends OpenService>(name: string, usual: number, service: S): S => {
    const port = portIn(service.url);
    options.onReady?.(
      service.pid === null ? `${name} is in use as configured` : `${name} is ready on port ${port}${portNote(port, usual)}`,
    );
    return service;
  };
  const { DATABASE_URL, MIGRATION_DATABASE_URL, REDIS_URL, TEMPORAL_ADDRESS } = isTemporary ? {} : options.env;
  const unsafeFast = isTemporary && !options.durable;
  const persistent = !isTemporary;
  const opening = [
    DATABASE_URL
      ? usePostgres(DATABASE_URL, MIGRATION_DATABASE_URL || undefined)
      : keepRunning<OpenPostgres>(
          'postgres',
          (opening) => openPostgres({ ...opening, ...portsOf(opening, ports.postgres), database: 'tributary', unsafeFast }),
          shared,
        ),
    REDIS_URL
      ? useRedis(REDIS_URL)
      : keepRunning('redis', (opening) => openRedis({ ...opening, ...portsOf(opening, ports.redis) }), shared),
    TEMPORAL_ADDRESS
      ? useTemporal(TEMPORAL_ADDRESS, { log: options.log, ...options.temporalCluster })
      : keepRunning<OpenTemporal>(
          'temporal',
          (opening) => {
            const uiUrl = opening.previous?.uiUrl;
            const uiPort = uiUrl ? portIn(uiUrl) : ports.temporalUi;
            const { namespaces, retentionDays } = options.temporalCluster ?? {};
            const kept = { uiPort, persistent, fewerCollections: unsafeFast, namespaces, retentionDays };
            return openTemporal({ ...opening, ...portsOf(opening, ports.temporal), ...kept });
          },
          shared,
        ),
  ] as const;
  try {
    const [postgres, redis, temporal] = await Promise.all([
      opening[0].then((service) => ready('PostgreSQL', ports.postgres, service)),
      opening[1].then((service) => ready('Redis', ports.redis, service)),
      opening[2].then((service) => ready('Temporal', ports.temporal, service)),
    ]);
    return { postgres, redis, temporal };
  } catch (error) {
    failed.abort();
    const settled = await Promise.allSettled(opening);
    await Promise.all(settled.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)));
    throw error;
  }
}

/** Its own port again, or at first the usual one or the next free one. */
function portsOf({ previous }: Opening<OpenService>, usual: number): { port: number; exactPorts: boolean } {
  return previous ? { port: portIn(previous.url), exactPorts: true } : { port: usual, exactPorts: false };
}

function portIn(address: string): number {
  return Number(/:(\d+)(?:\/|$)/.exec(address)?.[1]);
}

function toLocalStack(
  { postgres, redis, temporal }: Services,
  directory: DataDirectory,
  release: () => Promise<void>,
): LocalStack {
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.all([temporal.close(), redis.close(), postgres.close()]);
    await release();
  };
  return {
    databaseUrl: postgres.url,
    ownerDatabaseUrl: postgres.ownerUrl,
    redisUrl: redis.url,
    temporalAddress: temporal.url,
    temporalUiUrl: temporal.uiUrl,
    get pids() {
      return { postgres: postgres.pid, redis: redis.pid, temporal: temporal.pid };
    },
    directory,
    close: () => (closing ??= closeAll()),
  };
}
