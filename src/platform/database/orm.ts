import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql';
import { type ClientPool, repairPool } from './pool.ts';

export type Orm = MikroORM;
export type { EntityManager } from '@mikro-orm/postgresql';

export interface DatabaseSettings {
  url: string;
  poolMax: number;
  /** Bound of one statement. */
  statementTimeoutMs: number;
  /** Bound of waiting for a connection, from the pool or the server. */
  connectTimeoutMs: number;
}

const MIGRATIONS = new URL('../../../migrations', import.meta.url).pathname;

export const ormOptions = (settings: DatabaseSettings, entities: NonNullable<Options['entities']>): Options =>
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
    // Queries and parameters may hold personal data: the driver's own logger stays silent.
    logger: () => {},
    driverOptions: {
      connectionTimeoutMillis: settings.connectTimeoutMs,
      statement_timeout: settings.statementTimeoutMs,
      // The server answers first, unless it does not answer at all.
      query_timeout: settings.statementTimeoutMs + 300,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      onPoolCreated: (pool: ClientPool) => repairPool(pool),
    },
    discovery: { warnWhenNoEntities: false },
  });

export const openOrm = async (settings: DatabaseSettings, entities: NonNullable<Options['entities']>): Promise<Orm> =>
  (await MikroORM.init(ormOptions(settings, entities))) as Orm;

/** One manager per request and per activity: nothing is shared between two units of work. */
export const forkOf = (orm: Orm): EntityManager => orm.em.fork() as EntityManager;
