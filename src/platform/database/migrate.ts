import { type EntityManager, openOrm } from './orm.ts';

/** Brings the schema up to date. Running it twice, or twice at once, changes nothing more: a lock lets one run. */
export const migrate = async (databaseUrl: string): Promise<string[]> => {
  const orm = await openOrm({ url: databaseUrl, poolMax: 2, statementTimeoutMs: 120_000, connectTimeoutMs: 5_000 }, []);
  try {
    // The lock lives in a transaction of its own and ends with it, also when this process dies.
    return await orm.em.transactional(async (em) => {
      await (em as EntityManager).execute('select pg_advisory_xact_lock(7206521)');
      const done = await orm.migrator.up();
      return done.map((migration) => migration.name);
    });
  } finally {
    await orm.close(true);
  }
};
