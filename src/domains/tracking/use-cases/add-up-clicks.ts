import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { FIRST_ID } from '../../../platform/ids.ts';
import { db } from '../../tables.ts';

/** Any number that no other advisory lock of the database has. */
const LOCK = 7_201_998_005;
const BATCH = 100;
/** Per round; the next round continues with what is left. */
const MAX_BATCHES = 100;

/**
 * Writes the number of clicks of each affiliate with new ones; returns of how many affiliates. The number is computed anew, so a
 * crash or a repeat cannot miscount. Only one process does it at a time: others return 0.
 */
export const addUpClicks = async (ctx: Context): Promise<number> => {
  let after = FIRST_ID;
  let affiliates = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const added = await addUpBatch(ctx, after);
    affiliates += added.length;
    after = added.at(-1) ?? after;
    if (added.length < BATCH) break;
  }
  return affiliates;
};

/** A literal: a parameter could not use the partial index. */
const isNew = sql.lit(false);

/** The affiliates of the batch, in the order of their ids. */
const addUpBatch = (ctx: Context, after: string): Promise<string[]> =>
  inTransaction(ctx, async ({ em }) => {
    // The limit ends this transaction before a sale that waits for it would be ended by a deadlock.
    const lock = await firstRow(
      em,
      sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as taken, set_config('lock_timeout', '200ms', true)`,
    );
    if (!lock?.taken) return [];
    const next = db
      .selectFrom('click_total')
      .select('affiliateId')
      .distinct()
      .where('addedUp', '=', isNew)
      .where('affiliateId', '>', after)
      .orderBy('affiliateId')
      .limit(BATCH);
    const found = await rows(
      em,
      db
        .updateTable('click_total')
        .set({ addedUp: true })
        .where('addedUp', '=', isNew)
        .where('affiliateId', 'in', next)
        .returning('affiliateId'),
    );
    const ids = [...new Set(found.map(({ affiliateId }) => affiliateId))].sort();
    if (ids.length > 0) await writeTotals(em, ids);
    return ids;
  });

/** A statement of its own: it sees the clicks that the one before it waited for. */
const writeTotals = (em: Context['em'], ids: readonly string[]): Promise<number> => {
  const sums = db
    .selectFrom('click_total')
    .select(({ fn }) => ['affiliateId', fn.sum<number>('clicks').as('clicks')])
    .where('affiliateId', '=', anyOf(ids))
    .groupBy('affiliateId');
  return execute(
    em,
    db
      .updateTable('affiliate_totals as t')
      .from(sums.as('s'))
      .set(({ ref }) => ({ clicks: ref('s.clicks') }))
      .whereRef('t.affiliateId', '=', 's.affiliateId')
      .whereRef('t.clicks', '<>', 's.clicks'),
  );
};
