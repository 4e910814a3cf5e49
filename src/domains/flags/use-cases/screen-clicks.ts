import { SCREENING_LIMITS } from '../../../contracts/screening-limits.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { announceFlags, type RaiseFlagInput, storeFlags } from '../raise-flag.ts';
import { highClickFrequency } from '../rules/high-click-frequency.ts';
import { hasClickAlerts, listRecentUnpaid, lockShard, takeClickAlerts } from '../screening.queries.ts';

/**
 * Flags affiliates of a shard whose clicks were above a limit, with their unpaid conversions of the last 24 hours. Returns the
 * number of affiliates. Runs at least once: what was handled is not found again.
 */
export const screenClicks = async (ctx: Context, { shard, limit }: { shard: number; limit: number }): Promise<number> => {
  if (!(await hasClickAlerts(ctx, shard))) return 0;
  return inTransaction(ctx, async (ctx) => {
    await lockShard(ctx, shard);
    const alerts = await takeClickAlerts(ctx, shard, limit);
    const flags: RaiseFlagInput[] = [];
    for (const { affiliateId, programId, merchantId, ...peak } of alerts) {
      const details = highClickFrequency(peak, SCREENING_LIMITS);
      if (!details) continue;
      const conversionIds = await listRecentUnpaid(ctx, affiliateId);
      flags.push({ affiliateId, programId, merchantId, type: 'high_click_frequency', details, conversionIds });
    }
    await announceFlags(ctx, await storeFlags(ctx, flags));
    return alerts.length;
  });
};
