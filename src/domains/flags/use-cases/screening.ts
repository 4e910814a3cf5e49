import { SCREENING_LIMITS } from '../../../contracts/screening-limits.ts';
import type { FailedRules } from '../../../contracts/workflows/screening.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, isoOf, rows, sql } from '../../../platform/database/sql.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { approveScreened, markScreened } from '../../conversions/index.ts';
import { handleClickAlert, listRecentUnpaid, unhandledAlerts } from '../click-alerts.queries.ts';
import { collectFindings } from '../collect-findings.steps.ts';
import { announceFlags, type LinkedFlag, raiseFlag, storeFlags } from '../raise-flag.steps.ts';
import { countUnscreened, listAffiliateFacts, lockShard } from '../screening.queries.ts';
import { highClickFrequency } from '../screening.rules.ts';

interface ScreenedBatch {
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
    const linked = affiliates.some(({ hasClickFlag }) => hasClickFlag) ? await linkToClickFlags(ctx, ids) : [];
    const due = await markScreened(ctx, ids);
    await announceFlags(ctx, stored, linked);
    faultPoint('screening:before-commit');
    return { screened: found.length, failedRules, due };
  });
  if (batch.screened > 0) faultPoint('screening:after-commit');
  await approveScreened(ctx, due);
  return batch;
};

/**
 * Holds conversions of affiliates whose clicks are under review: those that follow while the flag is open. They are no new
 * evidence, so the deadline stays. Only for conversions that are not screened yet, which are neither approved nor paid. A template, as its parts change rows.
 */
const linkToClickFlags = (ctx: Context, conversionIds: readonly string[]): Promise<LinkedFlag[]> =>
  rows(
    ctx.em,
    sql<LinkedFlag>`with open as materialized (
        select f.id, f.affiliate_id, f.merchant_id, f.type, f.created_at from flag f
        where f.status = 'open' and f.type = 'high_click_frequency'
          and f.affiliate_id in (select affiliate_id from conversion where id = any(${conversionIds}))
        order by f.id for no key update),
      links as (
        insert into flag_conversion (flag_id, conversion_id)
        select o.id, c.id from open o join conversion c on c.affiliate_id = o.affiliate_id and c.id = any(${conversionIds})
        on conflict do nothing returning flag_id, conversion_id),
      counted as (update flag f set conversion_count = f.conversion_count + n.count, updated_at = ${ctx.clock.now().toISOString()}
      from (select flag_id, count(*) as count from links group by flag_id) n where f.id = n.flag_id)
      select o.id as "flagId", o.merchant_id as "merchantId", o.type, ${isoOf(sql`o.created_at`)} as "createdAt", array_agg(l.conversion_id) as "linkedIds"
      from links l join open o on o.id = l.flag_id group by o.id, o.merchant_id, o.type, o.created_at`,
  );

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
