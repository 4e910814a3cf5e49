import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { FIRST_ID } from '../../../platform/ids.ts';

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

/** The affiliates of the batch, in the order of their ids. */
const addUpBatch = (ctx: Context, after: string): Promise<string[]> =>
  inTransaction(ctx, async ({ em }) => {
    // The limit ends this transaction before a sale that waits for it would be ended by a deadlock.
    const held = await firstRow(
      em,
      sql<{
        locked: boolean;
      }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as locked, set_config('lock_timeout', '200ms', true)`,
    );
    if (!held?.locked) return [];
    const found = await rows(
      em,
      sql<{ id: string }>`update click_total set added_up = true
        where not added_up and affiliate_id in (
          select distinct affiliate_id from click_total where not added_up and affiliate_id > ${after}::uuid
          order by affiliate_id limit ${BATCH})
        returning affiliate_id as id`,
    );
    const ids = [...new Set(found.map(({ id }) => id))].sort();
    if (ids.length > 0) await writeTotals(em, ids);
    return ids;
  });

/** A statement of its own: it sees the clicks that the one before it waited for. */
const writeTotals = (em: Context['em'], ids: readonly string[]): Promise<number> =>
  execute(
    em,
    sql`update affiliate_totals t set clicks = s.clicks
      from (select affiliate_id, sum(clicks) as clicks from click_total where affiliate_id = any(${ids}::uuid[])
        group by affiliate_id) s
      where t.affiliate_id = s.affiliate_id and t.clicks <> s.clicks`,
  );
