import type { Context } from '../../platform/context.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { addPayoutAdjustment, type PayableItem } from '../conversions/index.ts';
import type { Payout } from './payout.entity.ts';

/** The part of items that `payable` may be below zero by while they are open, as a positive sum. */
const DEDUCTIONS = sql`coalesce(-sum(amount) filter (where kind = 'adjustment' and amount < 0), 0)::float8`;

export const deductionsOf = (items: readonly PayableItem[]): number =>
  items.reduce((total, { kind, amount }) => (kind === 'adjustment' && amount < 0 ? total - amount : total), 0);

/** The unique index on active items guarantees that each item is in at most one payout that did not fail. */
export const insertItems = (ctx: Context, payout: Payout, items: readonly PayableItem[]): Promise<number> =>
  execute(
    ctx.em,
    sql`with item as materialized (
        select kind, "subjectId" as subject_id, amount
        from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item (kind text, "subjectId" uuid, amount bigint)),
      ${markIncluded(sql`item`, payout.id)}
      insert into payout_item (payout_id, kind, subject_id, amount)
      select ${payout.id}::uuid, kind, subject_id, amount from item`,
  );

/** Statements that write at the commissions and adjustments of `items` which payout includes them. They are locked with the balance. */
const markIncluded = (items: RawBuilder<unknown>, payoutId: string | null): RawBuilder<unknown> => sql`
  commissions as (update conversion c set included_in = ${payoutId}::uuid from ${items} item
    where item.kind = 'commission' and c.id = item.subject_id),
  adjustments as (update commission_adjustment d set included_in = ${payoutId}::uuid from ${items} item
    where item.kind = 'adjustment' and d.id = item.subject_id)`;

interface MovedItems {
  count: number;
  deductions: number;
}

/** Returns the change of the affiliate's open adjustments. A payout without items of its own was deducted: that ends. */
export const releaseItems = async (ctx: Context, payout: Payout): Promise<number> => {
  const released = await firstRow(
    ctx.em,
    sql<MovedItems>`with released as (
        update payout_item set active = false where payout_id = ${payout.id}::uuid and active
        returning kind, subject_id, amount),
      ${markIncluded(sql`released`, null)}
      select count(*)::int as count, ${DEDUCTIONS} as deductions from released`,
  );
  if (!released?.count) await addPayoutAdjustment(ctx, { ...adjusted(payout), amount: payout.amount });
  return released?.deductions ?? 0;
};

/**
 * Takes all items of a failed payout again when every one is still free and unchanged. Else its amount becomes a negative
 * adjustment. Returns the change of the affiliate's open adjustments. The caller holds the balance's lock.
 */
export const reclaimItems = async (ctx: Context, payout: Payout): Promise<number> => {
  const reclaimed = await firstRow(
    ctx.em,
    sql<MovedItems>`with taken as (
        select 1 from payout_item i where i.payout_id = ${payout.id}::uuid and (
          exists (select 1 from payout_item o where o.kind = i.kind and o.subject_id = i.subject_id and o.active)
          or (i.kind = 'commission' and not exists (select 1 from conversion c
            where c.id = i.subject_id and c.approved_at is not null and c.commission + c.adjusted = i.amount)))),
      reclaimed as (
        update payout_item set active = true where payout_id = ${payout.id}::uuid and not exists (select 1 from taken)
        returning kind, subject_id, amount),
      ${markIncluded(sql`reclaimed`, payout.id)}
      select count(*)::int as count, ${DEDUCTIONS} as deductions from reclaimed`,
  );
  if (reclaimed?.count) return -reclaimed.deductions;
  await addPayoutAdjustment(ctx, { ...adjusted(payout), amount: -payout.amount });
  return payout.amount;
};

const adjusted = ({ id, affiliateId }: Payout) => ({ payoutId: id, affiliateId });
