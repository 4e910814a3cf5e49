import type { EntityManager } from './orm.ts';
import { firstRow, sql } from './sql.ts';

/**
 * Needed once after a database was restored into another cluster of Postgres, whose transactions have lower numbers: new events
 * keep coming after older ones in the list of events. Elsewhere it changes nothing. Returns whether it did.
 */
export const keepEventOrder = async (em: EntityManager): Promise<boolean> =>
  (await firstRow(em, sql<{ moved: boolean }>`select keep_event_order() as moved`))?.moved ?? false;
