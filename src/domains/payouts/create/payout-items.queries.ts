import { COUNT_MAX } from '../../../contracts/limits.ts';
import type { Context } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { db } from '../../tables.ts';
import { getPayout } from '../payouts.queries.ts';
import { type MyPayoutItemView, type PayoutItemView, toMyPayoutItem, toPayoutItem } from './payout-items.wire.ts';

/** An adjustment without a kind was made because of a payout or a refund. */
const type = sql<PayoutItemView['type']>`case when i.kind = 'commission' then 'commission'
  when d.kind is not null then d.kind when d.payout_id is not null then 'earlier_payout' else 'refund' end`;

interface Items {
  payoutId: string;
  currency: string;
}

const itemsOf = ({ payoutId, currency }: Given<Items>) =>
  db
    .selectFrom('payout_item as i')
    .leftJoin('commission_adjustment as d', (join) =>
      join.onRef('d.id', '=', 'i.subjectId').on('i.kind', '=', sql.lit('adjustment')),
    )
    .leftJoin('conversion as c', (join) =>
      join.on('c.id', '=', sql<string>`case when i.kind = 'commission' then i.subject_id else d.conversion_id end`),
    )
    .leftJoin('sale as s', 's.id', 'c.saleId')
    .select(['i.subjectId as id', 'i.amount', 'i.active as included', 'c.id as conversionId', 's.externalId as externalSaleId'])
    .leftJoin('payout_item as now', (join) =>
      join.onRef('now.kind', '=', 'i.kind').onRef('now.subjectId', '=', 'i.subjectId').on('now.active', '=', sql.lit(true)),
    )
    .select(['now.payoutId as includedIn', 'c.amount as saleAmount', 'd.payoutId as earlierPayoutId', 'd.note', type.as('type')])
    .select(sql<string>`${currency}::text`.as('currency'))
    .select(({ fn }) => fn.coalesce('d.createdAt', 'c.createdAt').as('createdAt'))
    .where('i.payoutId', '=', payoutId)
    .$narrowType<{ createdAt: string }>();

const items = list({
  name: ({ payoutId }) => `payout-items-${payoutId}`,
  query: itemsOf,
  counted: ({ payoutId }) =>
    db
      .selectFrom('payout_item')
      .select('subjectId')
      .where('payoutId', '=', payoutId)
      .limit(sql.lit(COUNT_MAX + 1)),
  sort: { key: sql.ref('i.kind'), id: sql.ref('i.subjectId'), type: 'text', ascending: false },
  toItem: toPayoutItem,
});

/** What a payout of the caller pays: commissions, then adjustments, the newest of each first. Throws NOT_FOUND and FORBIDDEN. */
export const listPayoutItems = async (ctx: Context, payoutId: string, page: PageQuery): Promise<Page<PayoutItemView>> => {
  const { currency } = await getPayout(ctx, payoutId);
  return items(ctx, page, { payoutId, currency });
};

/** The first items of a payout, in the order of the list. */
export const readFirstItems = async (
  ctx: Context,
  { id: payoutId, currency }: { id: string; currency: string },
  max: number,
): Promise<MyPayoutItemView[]> => {
  const found: MyPayoutItemView[] = [];
  for await (const batch of items.all(ctx, { payoutId, currency }).batches()) {
    found.push(...batch.map(toMyPayoutItem));
    if (found.length >= max) break;
  }
  return found.slice(0, max);
};

/** As `listPayoutItems`, of a payout to the caller. */
export const listMyPayoutItems = async (ctx: Context, payoutId: string, query: PageQuery): Promise<Page<MyPayoutItemView>> => {
  const page = await listPayoutItems(ctx, payoutId, query);
  return { ...page, items: page.items.map(toMyPayoutItem) };
};
