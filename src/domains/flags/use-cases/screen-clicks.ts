import { SCREENING_LIMITS } from '../../../contracts/screening-limits.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { handleClickAlert, listRecentUnpaid, unhandledAlerts } from '../click-alerts.queries.ts';
import { raiseFlag } from '../raise-flag.ts';
import { highClickFrequency } from '../rules/rules.ts';
import { lockShard } from '../screening.queries.ts';

/**
 * Flags an affiliate of a shard whose clicks were above a limit, with the unpaid conversions of the last 24 hours. False when there
 * is none. One affiliate in a transaction: each may have thousands of conversions. Runs at least once: what was handled is not found
 * again.
 */
export const screenClicks = async (ctx: Context, { shard, limit }: { shard: number; limit: number }): Promise<boolean> => {
  if (!(await firstRow(ctx.em, unhandledAlerts(shard).limit(1)))) return false;
  return inTransaction(ctx, async (ctx) => {
    await lockShard(ctx, shard);
    const alert = await handleClickAlert(ctx, shard, limit);
    if (!alert) return false;
    const { affiliateId, programId, merchantId, ...peak } = alert;
    const details = highClickFrequency(peak, SCREENING_LIMITS);
    if (!details) return true;
    const conversionIds = await listRecentUnpaid(ctx, affiliateId);
    await raiseFlag(ctx, { affiliateId, programId, merchantId, type: 'high_click_frequency', details, conversionIds });
    return true;
  });
};
