import type { FailedRules } from '../../../contracts/workflows/screening.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { approveScreened, markScreened } from '../../conversions/index.ts';
import { collectFindings } from '../collect-findings.ts';
import { linkToClickFlags } from '../link-to-click-flags.ts';
import { announceFlags, storeFlags } from '../raise-flag.ts';
import { countUnscreened, listAffiliateFacts, lockShard } from '../screening.queries.ts';

export interface ScreenedBatch {
  screened: number;
  failedRules: FailedRules;
}

/**
 * Screens the oldest conversions of a shard in one transaction. Then approves those whose hold period is over. Calls for one
 * shard wait for each other, so that the conversions of an affiliate are screened in their order, each once. Sales of affiliates
 * with findings wait for the commit: `limit` is how many findings there may be.
 */
export const screenConversions = async (
  ctx: Context,
  { shard, limit }: { shard: number; limit: number },
): Promise<ScreenedBatch> => {
  const { due, ...batch } = await inTransaction(ctx, async (ctx) => {
    await lockShard(ctx, shard);
    const found = await countUnscreened(ctx, shard, limit);
    if (found.length === 0) return { screened: 0, failedRules: {}, due: [] };
    const ids = found.map(({ id }) => id);
    const affiliates = await listAffiliateFacts(ctx, [...new Set(found.map(({ affiliateId }) => affiliateId))]);
    const { flags, failedRules } = collectFindings(ctx, found, affiliates);
    const stored = await storeFlags(ctx, flags);
    // Clicks are screened under the lock of the shard, so no such flag comes between.
    if (affiliates.some(({ hasClickFlag }) => hasClickFlag)) await linkToClickFlags(ctx, ids);
    const due = await markScreened(ctx, ids);
    await announceFlags(ctx, stored);
    faultPoint('screening:before-commit');
    return { screened: found.length, failedRules, due };
  });
  if (batch.screened > 0) faultPoint('screening:after-commit');
  await approveScreened(ctx, due);
  return batch;
};
