import { RAIL_NAMES } from '../../contracts/rails.ts';
import { type ApplicationRole, ensureApplicationRole } from './application-role.ts';
import { type EntityManager, openOrm } from './orm.ts';
import { ensurePartitions } from './partitions.ts';
import { firstRow, sql } from './sql.ts';
import { applySqlFiles } from './sql-files.ts';

/**
 * Needed once after a database was restored into another cluster of Postgres, whose transactions have lower numbers: new events
 * keep coming after older ones in the list of events. Elsewhere it changes nothing.
 */
const keepEventOrder = (em: EntityManager) => firstRow(em, sql`select keep_event_order()`);

/** The rails of this version, which payouts refer to. Those of others stay. */
const addRails = (em: EntityManager) =>
  firstRow(em, sql`insert into rail (name) select unnest(${RAIL_NAMES}::text[]) on conflict do nothing`);

/** A migration may fill a table for a long time, and waits for others only briefly. */
const LIMITS = { statementTimeoutMs: 3_600_000, lockTimeoutMs: 119_700, connectTimeoutMs: 5_000 } as const;

/** Applies pending migrations as the owner of the tables, then changed functions and triggers, adds new rails, creates missing partitions, keeps the order of events after a move to another cluster, prepares the role of the application, returns the names of the migrations and files. Safe to repeat and to run concurrently: a lock admits one at a time. */
export const migrate = async (ownerUrl: string, application?: ApplicationRole): Promise<string[]> => {
  const orm = await openOrm({ url: ownerUrl, poolMax: 2, ...LIMITS }, []);
  try {
    // The lock belongs to a transaction, so it ends even if this process is killed.
    return await orm.em.transactional(async (em) => {
      // It only waits while another connection migrates.
      await (em as EntityManager).execute('set local idle_in_transaction_session_timeout = 0');
      await (em as EntityManager).execute('select pg_advisory_xact_lock(7206521)');
      const migrations = await orm.migrator.up();
      const files = await applySqlFiles(em as EntityManager);
      await addRails(em as EntityManager);
      await ensurePartitions(em as EntityManager);
      await keepEventOrder(em as EntityManager);
      if (application) await ensureApplicationRole(em as EntityManager, application);
      return [...migrations.map((migration) => migration.name), ...files];
    });
  } finally {
    await orm.close(true);
  }
};
