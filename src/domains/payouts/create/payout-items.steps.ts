import type { Context } from '../../../platform/context.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../../platform/database/sql.ts';
import { addAdjustment, type PayableItem } from '../../conversions/index.ts';
import type { Payout } from '../payout.entity.ts';

// Templates: each statement writes three tables.

/** The part of items that `payable` may be below zero by while they are open, as a positive sum. */
const DEDUCTIONS = sql`coalesce(-sum(amount) filter (where kind = 'adjustment' and amount < 0), 0)`;

export const deductionsOf = (items: readonly PayableItem[]): number =>
  items.reduce((total, { kind, amount }) => (kind === 'adjustment' && amount < 0 ? total - amount : total), 0);

/** Items of one statement, so that the items of a large payout do not exceed the limit of a statement. */
const CHUNK = 2_000;

interface NewItem extends PayableItem {
  payoutId: string;
}

/** The unique index on active items guarantees that each item is in at most one payout that did not fail. */
export const insertItems = async (ctx: Context, items: readonly NewItem[]): Promise<void> => {
  for (let from = 0; from < items.length; from += CHUNK) await insertChunk(ctx, items.slice(from, from + CHUNK));
};

const insertChunk = (ctx: Context, items: readonly NewItem[]): Promise<number> =>
  execute(
    ctx.em,
    sql`with item as materialized (
        select "payoutId" as payout_id, kind, "subjectId" as subject_id, amount
        from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item ("payoutId" uuid, kind text, "subjectId" uuid, amount bigint)),
      ${markIncluded(sql`item`, sql`item.payout_id`)}
      insert into payout_item (payout_id, kind, subject_id, amount)
      select payout_id, kind, subject_id, amount from item`,
  );

/** Statements that write at the commissions and adjustments of `items` which payout includes them. They are locked with the balance. */
const markIncluded = (items: RawBuilder<unknown>, payoutId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  commissions as (update conversion c set included_in = ${payoutId} from ${items} item
    where item.kind = 'commission' and c.id = item.subject_id),
  adjustments as (update commission_adjustment d set included_in = ${payoutId} from ${items} item
    where item.kind = 'adjustment' and d.id = item.subject_id)`;

interface MovedItems {
  count: number;
  deductions: number;
}

/** Takes or frees all items of a payout, chunk by chunk. */
const moveItems = async (ctx: Context, payout: Payout, active: boolean): Promise<MovedItems> => {
  const moved: MovedItems = { count: 0, deductions: 0 };
  for (;;) {
    const chunk = await firstRow(
      ctx.em,
      sql<MovedItems>`with moved as (
          update payout_item i set active = ${active}
          from (select kind, subject_id from payout_item where payout_id = ${payout.id} and active <> ${active}
            order by kind, subject_id limit ${CHUNK}) chunk
          where i.payout_id = ${payout.id} and i.kind = chunk.kind and i.subject_id = chunk.subject_id
          returning i.kind, i.subject_id, i.amount),
        ${markIncluded(sql`moved`, active ? sql`${payout.id}` : sql`null`)}
        select count(*) as count, ${DEDUCTIONS} as deductions from moved`,
    );
    moved.count += chunk?.count ?? 0;
    moved.deductions += chunk?.deductions ?? 0;
    if ((chunk?.count ?? 0) < CHUNK) return moved;
  }
};

/** Returns the change of the affiliate's open adjustments. A payout without items of its own was deducted: that ends. */
export const returnItems = async (ctx: Context, payout: Payout): Promise<number> => {
  const freed = await moveItems(ctx, payout, false);
  if (freed.count === 0) await addAdjustment(ctx, { ...adjusted(payout), amount: payout.amount });
  return freed.deductions;
};

/**
 * Takes back all items of a failed payout when every one is still free and unchanged. Else its amount becomes a negative
 * adjustment. Returns the change of the affiliate's open adjustments. The caller holds the balance's lock.
 */
export const reserveItemsAgain = async (ctx: Context, payout: Payout): Promise<number> => {
  const taken = await firstRow(
    ctx.em,
    sql`select 1 from payout_item i where i.payout_id = ${payout.id} and (
        exists (select 1 from payout_item o where o.kind = i.kind and o.subject_id = i.subject_id and o.active)
        or (i.kind = 'commission' and not exists (select 1 from conversion c
          where c.id = i.subject_id and c.approved_at is not null and c.commission + c.adjusted = i.amount)))
      limit 1`,
  );
  const moved = taken ? null : await moveItems(ctx, payout, true);
  if (moved?.count) return -moved.deductions;
  await addAdjustment(ctx, { ...adjusted(payout), amount: -payout.amount });
  return payout.amount;
};

const adjusted = ({ id, affiliateId }: Payout) => ({ payoutId: id, affiliateId });
