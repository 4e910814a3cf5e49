import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql';
import { type ClientPool, repairPool } from './pool.ts';

export type Orm = MikroORM;
export type { EntityManager } from '@mikro-orm/postgresql';

export interface DatabaseSettings {
  url: string;
  poolMax: number;
  /** Limit for one statement. */
  statementTimeoutMs: number;
  /** Limit for getting a connection, from the pool or the server. */
  connectTimeoutMs: number;
}

const MIGRATIONS = new URL('../../../migrations', import.meta.url).pathname;

const ormOptions = (settings: DatabaseSettings, entities: NonNullable<Options['entities']>): Options =>
  defineConfig({
    clientUrl: settings.url,
    entities,
    extensions: [Migrator],
    migrations: { path: MIGRATIONS, snapshot: false, tableName: 'migration' },
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
      // Later than the server's own limit, for a server that does not respond at all.
      query_timeout: settings.statementTimeoutMs + 300,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      onPoolCreated: (pool: ClientPool) => repairPool(pool),
    },
    discovery: { warnWhenNoEntities: false },
  });

export const openOrm = async (settings: DatabaseSettings, entities: NonNullable<Options['entities']>): Promise<Orm> =>
  (await MikroORM.init(ormOptions(settings, entities))) as Orm;

/** One entity manager per request and per activity: units of work share nothing. */
export const forkOf = (orm: Orm): EntityManager => orm.em.fork() as EntityManager;
