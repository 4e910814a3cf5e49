import { type Context, inTransaction } from '../../../platform/context.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { SCREENING } from '../../conversions/index.ts';
import { collectFindings } from '../collect-findings.ts';
import { linkToClickFlags } from '../link-to-click-flags.ts';
import { raiseFlag } from '../raise-flag.ts';
import { countUnscreened, listAffiliateFacts, lockShard } from '../screening.queries.ts';

/**
 * Screens the oldest conversions of a shard in one transaction and returns their number. Then approves those whose hold period is
 * over. Calls for one shard wait for each other, so that the conversions of an affiliate are screened in their order, each once.
 */
export const screenConversions = async (ctx: Context, { shard, limit }: { shard: number; limit: number }): Promise<number> => {
  const { screened, due } = await inTransaction(ctx, async (ctx) => {
    await lockShard(ctx, shard);
    const batch = await countUnscreened(ctx, shard, limit);
    if (batch.length === 0) return { screened: 0, due: [] };
    const ids = batch.map(({ id }) => id);
    const affiliates = await listAffiliateFacts(ctx, [...new Set(batch.map(({ affiliateId }) => affiliateId))]);
    for (const flag of collectFindings(ctx, batch, affiliates)) await raiseFlag(ctx, flag);
    await linkToClickFlags(ctx, ids);
    const due = await SCREENING.markScreened(ctx, ids);
    faultPoint('screening:before-commit');
    return { screened: batch.length, due };
  });
  await SCREENING.releaseScreened(ctx, due);
  return screened;
};
