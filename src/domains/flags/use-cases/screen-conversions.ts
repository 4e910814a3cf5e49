import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { SCREENING } from '../../conversions/index.ts';

/**
 * Screens the oldest conversions of a shard in one transaction and returns their number. Then approves those whose hold period is
 * over. Calls for one shard wait for each other, so that the conversions of an affiliate are screened in their order, each once.
 */
export const screenConversions = async (ctx: Context, { shard, limit }: { shard: number; limit: number }): Promise<number> => {
  const { ids, due } = await inTransaction(ctx, async (ctx) => {
    await execute(ctx.em, sql`select pg_advisory_xact_lock(${SHARD_LOCKS}, ${shard})`);
    const ids = await SCREENING.listUnscreened(ctx, shard, limit);
    return { ids, due: ids.length === 0 ? [] : await SCREENING.markScreened(ctx, ids) };
  });
  await SCREENING.releaseScreened(ctx, due);
  return ids.length;
};

/** A class of advisory locks of its own; the second key is the shard. */
const SHARD_LOCKS = 7_201_998;
