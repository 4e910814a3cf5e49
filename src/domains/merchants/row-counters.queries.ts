import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import { type RawBuilder, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { db } from '../tables.ts';

type Value<T> = T | RawBuilder<T>;

const countersOf = (relation: string, merchantId: Value<string>, programId: Value<string> | undefined) =>
  db
    .selectFrom('row_counter')
    .where('relation', '=', relation)
    .where('merchantId', '=', merchantId)
    .where('programId', '=', programId ?? ALL_PROGRAMS);

/** Exact numbers of rows by status, as `countedTotal`. */
export const countedByStatus = (relation: string, merchantId: string, { programId }: { programId?: string | undefined }) =>
  countersOf(relation, merchantId, programId)
    .select(({ fn }) => ['status', fn.sum<number>('amount').as('total')])
    .groupBy('status');

/**
 * Exact total of a list, from the counters that triggers update in the writer's transaction. Covers the unfiltered list
 * and the program and status filters.
 */
export const countedTotal = (
  relation: string,
  merchantId: Value<string>,
  { programId, statuses }: { programId?: Value<string> | undefined; statuses?: Value<readonly string[]> | undefined },
) => {
  const counters = countersOf(relation, merchantId, programId);
  const counted = statuses === undefined ? counters : counters.where('status', '=', anyOf(statuses));
  return counted.select(({ fn }) => fn.coalesce(fn.sum<number>('amount'), sql.lit(0)).as('total'));
};
