import { MAX_PAYOUT_COMMISSIONS } from '../../../contracts/limits.ts';
import type { Context } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { firstRow, type RawBuilder, rows, sql, statementOf } from '../../../platform/database/sql.ts';
import { uncounted } from '../../../platform/database/table.ts';
import { MAX_AMOUNT_MINOR } from '../../../platform/money.ts';
import { db } from '../../tables.ts';
import { HELD_CONVERSION } from './holds.queries.ts';

/** Whether a payout includes the commission. Payouts that failed or were canceled do not count. */
export const isInPayout = async (ctx: Context, conversionId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    db
      .selectFrom('payout_item')
      .select('subjectId')
      .where('kind', '=', sql.lit('commission'))
      .where('subjectId', '=', conversionId)
      .where('active', '=', sql.lit(true)),
  )) !== null;

/** An item of a payout: a commission, or an adjustment for a refund or a payout, mostly negative. */
export interface PayableItem {
  kind: 'commission' | 'adjustment';
  subjectId: string;
  amount: number;
}

/** Commissions of a payout whose adjustments use up the usual maximum. */
const MAX_DEDUCTED_COMMISSIONS = 4 * MAX_PAYOUT_COMMISSIONS;

/**
 * The items of the next payout: all adjustments, and the oldest commissions up to the maximum of a payout; up to four times as
 * many if adjustments leave less than `atLeast` minor units. Their sum is at most the largest amount of a payout. The caller must hold the affiliate's balance lock.
 * With `asOf`, only what was approved or added by then, and all deductions.
 */
export const payableItems = async (
  ctx: Context,
  affiliateId: string,
  { atLeast, asOf }: { atLeast: number; asOf?: Date | undefined },
): Promise<PayableItem[]> => {
  const at = asOf && sql`${asOf.toISOString()}`;
  const read = (most?: number) => rows(ctx.em, payableItemsOf(sql`${affiliateId}`, { most, asOf: at }));
  const items = await read();
  const commissions = items.filter(({ kind }) => kind === 'commission').length;
  const isEnough = items.reduce((sum, { amount }) => sum + amount, 0) >= atLeast;
  if (commissions < MAX_PAYOUT_COMMISSIONS || isEnough) return upToLargestAmount(items);
  return upToLargestAmount(await read(MAX_DEDUCTED_COMMISSIONS));
};

/** Items of an affiliate that are still read together with those of others. */
const FEW = 100;

const fewItems = compileOnce(({ affiliateIds, asOf }: Given<{ affiliateIds: readonly string[]; asOf: string | undefined }>) =>
  statementOf(sql<PayableItem & { affiliateId: string }>`select of.id as "affiliateId", item.*
      from unnest(${uncounted(sql`${affiliateIds}::uuid[]`)}) as of (id)
      cross join lateral (select * from (${payableItemsOf(sql`of.id`, { most: FEW + 1, asOf })}) as item limit ${sql.lit(FEW + 1)}) as item`),
);

/** Like `payableItems`, for any number of affiliates. It leaves out those with many items: `payableItems` reads each of them. */
export const findFewPayableItems = async (
  ctx: Context,
  affiliateIds: readonly string[],
  asOf?: Date,
): Promise<Map<string, PayableItem[]>> => {
  const found = await rows(ctx.em, fewItems({ affiliateIds, asOf: asOf?.toISOString() }));
  const items = new Map<string, PayableItem[]>(affiliateIds.map((id) => [id, []]));
  for (const { affiliateId, ...item } of found) items.get(affiliateId)?.push(item);
  for (const [id, own] of items) {
    if (own.length > FEW) items.delete(id);
    else items.set(id, upToLargestAmount(own));
  }
  return items;
};

/** What does not fit is in the next payout. All deductions are in this one. */
const upToLargestAmount = (items: readonly PayableItem[]): PayableItem[] => {
  let total = items.reduce((sum, { amount }) => sum + Math.min(amount, 0), 0);
  return items.filter(({ amount }) => {
    if (amount > 0 && total + amount > MAX_AMOUNT_MINOR) return false;
    total += Math.max(amount, 0);
    return true;
  });
};

/**
 * All adjustments and the oldest commissions that are in no payout and not held, at most `most`. Reads nothing that was paid. A
 * template, as all conditions on what is held, which statements of several domains share.
 */
export const payableItemsOf = (
  affiliateId: RawBuilder<unknown>,
  { most = MAX_PAYOUT_COMMISSIONS, asOf }: { most?: number | undefined; asOf?: RawBuilder<unknown> | undefined } = {},
): RawBuilder<PayableItem> =>
  sql<PayableItem>`(select 'commission' as kind, c.id as "subjectId", c.commission + c.adjusted as amount
      from conversion c where c.affiliate_id = ${affiliateId} and c.approved_at is not null and c.included_in is null
        and not ${HELD_CONVERSION} and c.commission + c.adjusted > 0 ${asOf ? sql`and c.approved_at <= ${asOf}` : sql``}
      order by c.id limit ${sql.lit(most)})
    union all
    (select 'adjustment', d.id, d.amount from commission_adjustment d
      where d.affiliate_id = ${affiliateId} and d.included_in is null
        ${asOf ? sql`and (d.amount < 0 or coalesce(d.approved_at, d.created_at) <= ${asOf})` : sql``})`;

/**
 * Number of the items of `payableItemsOf`. `flagged` is that of `heldCommissionsOf`: it is taken off, so that nothing is asked of each
 * commission, however many are held. What is approved is screened.
 */
export const payableCountOf = (affiliateId: RawBuilder<unknown>, flagged: RawBuilder<unknown>): RawBuilder<{ count: number }> =>
  sql<{ count: number }>`select ((select count(*) from (select from conversion
        where affiliate_id = ${affiliateId} and approved_at is not null and included_in is null and disputed_at is null
          and commission + adjusted > 0 limit ${MAX_PAYOUT_COMMISSIONS} + ${flagged}) as unpaid) - ${flagged}
      + (select count(*) from commission_adjustment where affiliate_id = ${affiliateId} and included_in is null)) as count`;
