import { createStatementNames } from './prepared.ts';

/** The part of the driver's client that is used here; the driver has no types. */
interface PooledClient {
  query(...given: unknown[]): unknown;
  end(): Promise<void>;
  once(event: 'end', listener: () => void): void;
}

export interface ClientPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  connect(...given: unknown[]): Promise<unknown>;
  on(event: 'connect', listener: (client: PooledClient) => void): void;
  on(event: 'release', listener: (broken: unknown) => void): void;
}

/** `waiting` counts callers that wait for a connection; `total` includes idle connections. */
export interface PoolUsage {
  total: number;
  idle: number;
  waiting: number;
}

export const usageOf = (pool: ClientPool | undefined): PoolUsage => ({
  total: pool?.totalCount ?? 0,
  idle: pool?.idleCount ?? 0,
  waiting: pool?.waitingCount ?? 0,
});

type Release = (broken?: unknown) => void;

/**
 * Adds three things that the libraries lack:
 * - A connection that ends releases itself. Otherwise kysely never releases the connection of a transaction that it could not roll
 *   back (kysely-org/kysely#1990): with three connections, the pool is exhausted for good after three that died in a transaction.
 * - A connection whose statement timed out in the driver is closed. The driver leaves it open (brianc/node-postgres#3399), and kysely
 *   returns it to the pool without the error: the statement still runs, and the next one on the connection waits for it and times
 *   out as well.
 * - Repeated statements are prepared (`prepared.ts`).
 */
export const repairPool = (pool: ClientPool): void => {
  const nameOf = createStatementNames();
  pool.on('connect', (client) => {
    let releaseToPool: Release | undefined;
    const release: Release = (broken) => {
      const current = releaseToPool;
      releaseToPool = undefined;
      current?.(broken);
    };
    // The pool assigns a new function at each checkout.
    Object.defineProperty(client, 'release', {
      get: () => release,
      set(given: Release) {
        releaseToPool = given;
      },
    });
    client.once('end', () => release(true));
    watchQueries(client, nameOf);
  });
};

type NameOf = (text: string) => string | undefined;

const watchQueries = (client: PooledClient, nameOf: NameOf): void => {
  const query = client.query.bind(client);
  client.query = (...given) => {
    const result = query(...prepared(given, nameOf));
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if (error instanceof Error && UNUSABLE_AFTER.has(error.message)) void client.end();
      });
    }
    return result;
  };
};

const READ_TIMEOUT = 'Query read timeout';

/** Errors after which a connection is closed. The second occurs when a migration changes columns of a prepared statement. */
const UNUSABLE_AFTER = new Set([READ_TIMEOUT, 'cached plan must not change result type']);

/** Names a parametrized statement, so that the driver prepares it, if it is used often enough. */
const prepared = (given: unknown[], nameOf: NameOf): unknown[] => {
  const [text, values] = given;
  if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || given.length > 2) return given;
  const name = nameOf(text);
  return name === undefined ? given : [{ name, text, values }];
};

/** Code of the error of a caller who got no connection in time although others gave theirs back meanwhile: Postgres responds. */
const POOL_BUSY = 'POOL_BUSY';
const LOCK_NOT_AVAILABLE = '55P03';

/** The driver's error for a full pool is the same whether Postgres is down or the others only wait for locks. */
export const nameFullPool = (pool: ClientPool): void => {
  let releases = 0;
  pool.on('release', (broken) => {
    if (!broken) releases++;
  });
  const connect = pool.connect.bind(pool);
  pool.connect = async (...given) => {
    const before = releases;
    try {
      return await connect(...given);
    } catch (error) {
      if (error instanceof Error && error.message === POOL_FULL && releases > before) Object.assign(error, { code: POOL_BUSY });
      throw error;
    }
  };
};

const POOL_FULL = 'timeout exceeded when trying to connect';

/** What the driver and its pool throw when Postgres does not respond in time. These errors have no code. */
const TIMEOUTS = new Set([POOL_FULL, READ_TIMEOUT, 'Connection terminated due to connection timeout']);

export const isTimeout = (error: Error): boolean => TIMEOUTS.has(error.message);

/** Whether others held a lock or all connections for too long. The same request may succeed a moment later. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === LOCK_NOT_AVAILABLE || error.code === POOL_BUSY);
