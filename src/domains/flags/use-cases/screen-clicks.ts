import { SCREENING_LIMITS } from '../../../contracts/screening-limits.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { raiseFlag } from '../raise-flag.ts';
import { highClickFrequency } from '../rules/high-click-frequency.ts';
import { listRecentUnpaid, lockShard, takeClickAlerts } from '../screening.queries.ts';

/**
 * Flags affiliates of a shard whose clicks were above a limit, with their unpaid conversions of the last 24 hours. Returns the
 * number of affiliates. Runs at least once: what was handled is not found again.
 */
export const screenClicks = (ctx: Context, { shard, limit }: { shard: number; limit: number }): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    await lockShard(ctx, shard);
    const alerts = await takeClickAlerts(ctx, shard, limit);
    for (const alert of alerts) {
      const { affiliateId, programId, merchantId } = alert;
      const details = highClickFrequency(alert, SCREENING_LIMITS);
      const conversionIds = details ? await listRecentUnpaid(ctx, affiliateId) : [];
      if (details)
        await raiseFlag(ctx, { affiliateId, programId, merchantId, type: 'high_click_frequency', details, conversionIds });
    }
    return alerts.length;
  });
