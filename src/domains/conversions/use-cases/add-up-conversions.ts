import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { sumsOfRow } from '../../merchants/index.ts';

const BATCH = 5_000;
/** Per round; the next round continues with what is left. */
const MAX_BATCHES = 100;

/**
 * Adds changes of conversions up by merchant, program and time, so that no reader has to; returns how many. A change is removed in the
 * statement that adds it, so that a reader sees it once, and a crash or a repeat cannot miscount. Processes that do it at the same time
 * take different changes, and write sums in the same order.
 */
export const addUpConversions = async (ctx: Context): Promise<number> => {
  let changes = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const added = await addUpBatch(ctx);
    changes += added;
    if (added < BATCH) break;
  }
  return changes;
};

/** A template: what is deleted is added up in the same statement. */
const addUpBatch = async (ctx: Context): Promise<number> => {
  const row = await firstRow(
    ctx.em,
    sql<{ added: number }>`with taken as materialized (
        delete from conversion_change where ctid = any(array(
          select ctid from conversion_change order by merchant_id, program_id, seq limit ${BATCH} for update skip locked))
        returning *),
      added as (
        insert into conversion_sum as s (merchant_id, program_id, span, starts_at, currency, status, conversions, revenue, commission,
          unapproved)
        select merchant_id, place.id, piece.span, piece.starts_at, currency, status, sum(conversions), sum(revenue), sum(commission),
          sum(unapproved)
        from taken c ${sumsOfRow}
        group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
        on conflict (merchant_id, program_id, span, starts_at, currency, status) do update set
          conversions = s.conversions + excluded.conversions, revenue = s.revenue + excluded.revenue,
          commission = s.commission + excluded.commission, unapproved = s.unapproved + excluded.unapproved)
      select count(*) as added from taken`,
  );
  invariant(row, 'an aggregate returns a row');
  return row.added;
};
