import { type Context, inTransaction } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { type DueConversion, isDue } from './due-conversions.queries.ts';
import { HELD_CONVERSION } from './holds.queries.ts';
import { releaseOrLog } from './release-for-affiliate.ts';

/** Ids of conversions of a shard that are not screened yet, the oldest first. */
export const listUnscreened = async (ctx: Context, shard: number, limit: number): Promise<string[]> =>
  (
    await rows(
      ctx.em,
      sql<{ id: string }>`select id from conversion where screening_shard(affiliate_id) = ${shard} and screened_at is null
        order by id limit ${limit}`,
    )
  ).map(({ id }) => id);

/** Marks conversions as screened and returns those that are due and not held. A second call changes nothing. The caller must hold the locks of balances. */
export const markScreened = (ctx: Context, ids: readonly string[]): Promise<DueConversion[]> =>
  inTransaction(ctx, (ctx) => {
    const now = ctx.clock.now().toISOString();
    return rows(
      ctx.em,
      sql<DueConversion>`with locked as materialized (
          select id from conversion where id = any(${ids}::uuid[]) and screened_at is null order by id for no key update),
        screened as (update conversion c set screened_at = ${now}::timestamptz from locked where c.id = locked.id
          returning c.id, c.affiliate_id, c.screened_at, c.disputed_at, c.approved_at, c.status, c.release_at)
        select c.id, c.affiliate_id as "affiliateId" from screened c where ${isDue(ctx)} and not ${HELD_CONVERSION}`,
    );
  });

/** Approves commissions that are due, with one transaction per affiliate. What fails stays due for the scheduled release. */
export const releaseScreened = async (ctx: Context, due: readonly DueConversion[]): Promise<void> => {
  for (const [affiliateId, batch] of Map.groupBy(due, (row) => row.affiliateId)) {
    const ids = batch.map(({ id }) => id);
    await releaseOrLog(ctx, affiliateId, ids);
  }
};
