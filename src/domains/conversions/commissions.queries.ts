import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';

/** Whether a payout includes the commission. Payouts that failed or were canceled do not count. */
export const isInPayout = async (ctx: Context, conversionId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    sql`select 1 from payout_item where kind = 'commission' and subject_id = ${conversionId}::uuid and active`,
  )) !== null;

/** Conversions whose hold period is over and that are not approved yet, oldest first. */
export const findDueConversions = (ctx: Context, limit: number): Promise<{ id: string; affiliateId: string }[]> =>
  rows(
    ctx.em,
    sql<{ id: string; affiliateId: string }>`select id, affiliate_id as "affiliateId" from conversion
      where approved_at is null and screened_at is not null and status in ('pending','partially_refunded')
        and release_at <= ${ctx.clock.now().toISOString()}::timestamptz
      order by release_at, id limit ${limit}`,
  );

/** Whether a run of the release workflow would approve anything. */
export const hasDueConversions = async (ctx: Context): Promise<boolean> => (await findDueConversions(ctx, 1)).length > 0;

/** An item of a payout: a commission, or an adjustment for a refund or a payout, mostly negative. */
export interface PayableItem {
  kind: 'commission' | 'adjustment';
  subjectId: string;
  amount: number;
}

/** All items that a payout to this affiliate would include. The caller must hold the affiliate's balance lock. */
export const payableItems = (ctx: Context, affiliateId: string): Promise<PayableItem[]> =>
  rows(
    ctx.em,
    sql<PayableItem>`select 'commission' as kind, c.id as "subjectId", (c.commission + c.adjusted)::float8 as amount
      from conversion c where c.affiliate_id = ${affiliateId}::uuid and c.approved_at is not null and c.commission + c.adjusted > 0
        and not exists (select 1 from payout_item i where i.kind = 'commission' and i.subject_id = c.id and i.active)
      union all
      select 'adjustment', d.id, d.amount::float8 from commission_adjustment d where d.affiliate_id = ${affiliateId}::uuid
        and not exists (select 1 from payout_item i where i.kind = 'adjustment' and i.subject_id = d.id and i.active)`,
  );
