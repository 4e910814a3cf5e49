import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql';
import { ParametrizedDriver } from './parametrized-driver.ts';
import { type ClientPool, nameFullPool, type PoolUsage, repairPool, usageOf } from './pool.ts';

/** The connections of a worker with the role `relay` have this name in `pg_stat_activity`. */
export const RELAY_APPLICATION_NAME = 'tributary-worker-relay';

export type Orm = MikroORM;
export type { EntityManager } from '@mikro-orm/postgresql';

export interface DatabaseSettings {
  url: string;
  poolMax: number;
  /** Limit for one statement. */
  statementTimeoutMs: number;
  /** Limit of one wait for a lock. Default: a little less than that of a statement. */
  lockTimeoutMs?: number;
  /** Limit for getting a connection, from the pool or the server. */
  connectTimeoutMs: number;
  /** How Postgres lists the connections of this process (`pg_stat_activity`). */
  applicationName?: string;
}

const MIGRATIONS = new URL('../../../migrations', import.meta.url).pathname;

const pools = new WeakMap<Orm, () => ClientPool | undefined>();

const ormOptions = (
  settings: DatabaseSettings,
  entities: NonNullable<Options['entities']>,
  onPool: (pool: ClientPool) => void,
): Options =>
  defineConfig({
    driver: ParametrizedDriver,
    clientUrl: settings.url,
    entities,
    extensions: [Migrator],
    // Each in a transaction of its own: nobody waits for the locks of one while another one fills a table.
    migrations: { path: MIGRATIONS, snapshot: false, tableName: 'migration', allOrNothing: false },
    pool: { min: 0, max: settings.poolMax },
    forceUtcTimezone: true,
    // A new entity reads like a stored one: `em.create` fills what is nullable with null.
    initNullableProperties: true,
    debug: false,
    // The ORM's own logger is off: queries and parameters may contain personal data.
    logger: () => {},
    driverOptions: {
      connectionTimeoutMillis: settings.connectTimeoutMs,
      statement_timeout: settings.statementTimeoutMs,
      // Sooner than the statement's limit, so that a wait for a lock is told from a slow statement.
      lock_timeout: settings.lockTimeoutMs ?? settings.statementTimeoutMs - 300,
      // Later than the server's own limit, for a server that does not respond at all.
      query_timeout: settings.statementTimeoutMs + 300,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      application_name: settings.applicationName ?? 'tributary',
      onPoolCreated: (pool: ClientPool) => {
        onPool(pool);
        repairPool(pool);
        nameFullPool(pool);
      },
    },
    discovery: { warnWhenNoEntities: false },
  });

export const openOrm = async (settings: DatabaseSettings, entities: NonNullable<Options['entities']>): Promise<Orm> => {
  let created: ClientPool | undefined;
  const orm = (await MikroORM.init(
    ormOptions(settings, entities, (pool) => {
      created = pool;
    }),
  )) as Orm;
  pools.set(orm, () => created);
  return orm;
};

/** The connections of this process. All zero before the first query. */
export const poolUsageOf = (orm: Orm): PoolUsage => usageOf(pools.get(orm)?.());

/** One entity manager per request and per activity: units of work share nothing. */
export const forkOf = (orm: Orm): EntityManager => orm.em.fork() as EntityManager;
