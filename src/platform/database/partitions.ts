import type { EntityManager } from './orm.ts';
import { firstRow, sql } from './sql.ts';

/**
 * Creates the missing partitions of this month and the next three; returns how many. Safe to repeat and to run
 * concurrently: another caller's partitions are not waited for. Rows without a partition of their month go to the default one.
 */
export const ensurePartitions = async (em: EntityManager): Promise<number> =>
  (await firstRow(em, sql<{ created: number }>`select ensure_partitions() as created`))?.created ?? 0;
