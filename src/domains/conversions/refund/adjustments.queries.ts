import type { AdjustmentStatus } from '../../../contracts/conversions.ts';
import type { Context } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { readOwnedAffiliate } from '../../affiliates/index.ts';
import { db } from '../../tables.ts';
import { type AdjustmentView, toAdjustment } from './adjustments.wire.ts';

type OfAffiliate = Given<{ affiliateId: string }>;

const booked = ({ affiliateId }: OfAffiliate) =>
  db
    .selectFrom('commission_adjustment')
    .select(['id', 'affiliateId', 'kind', 'amount', 'note', 'createdBy', 'createdAt', 'approvedBy', 'approvedAt'])
    .select([sql<AdjustmentStatus>`'booked'`.as('status'), 'includedIn', sql<string | null>`null`.as('currency')])
    .where('affiliateId', '=', affiliateId)
    .where('kind', 'is not', null);

const requested = ({ affiliateId }: OfAffiliate) =>
  db
    .selectFrom('adjustment_request')
    .select(['id', 'affiliateId', 'kind', 'amount', 'note', 'createdBy', 'createdAt'])
    .select([sql<string | null>`null`.as('approvedBy'), sql<string | null>`null::timestamptz`.as('approvedAt')])
    .select(['status', sql<string | null>`null::uuid`.as('includedIn'), 'currency'])
    .where('affiliateId', '=', affiliateId)
    .where('status', '<>', sql.lit('booked' as const));

const adjustments = list({
  name: ({ affiliateId }: { affiliateId: string }) => `adjustments-${affiliateId}`,
  query: (given: OfAffiliate) =>
    db
      .selectFrom(booked(given).unionAll(requested(given)).as('d'))
      .innerJoin('affiliate as a', 'a.id', 'd.affiliateId')
      .leftJoin('ledger_balance as b', 'b.affiliateId', 'd.affiliateId')
      .select(['d.id', 'd.affiliateId', 'a.programId', 'd.amount', 'd.includedIn as payoutId', 'd.createdAt'])
      .select(['d.kind', 'd.status', 'd.note', 'd.createdBy', 'd.approvedBy', 'd.approvedAt'])
      .select(({ fn }) => fn.coalesce('d.currency', 'b.currency').as('currency'))
      .$narrowType<{ kind: AdjustmentView['kind']; note: string; createdBy: string; currency: string }>(),
  counted: (given) => booked(given).unionAll(requested(given)),
  sort: { key: sql.ref('d.createdAt'), id: sql.ref('d.id'), type: 'timestamptz', ascending: false },
  toItem: toAdjustment,
});

/** What the merchant adjusted for an affiliate, or wants to, newest first. Throws NOT_FOUND, and FORBIDDEN for another merchant's affiliate. */
export const listAdjustments = async (ctx: Context, affiliateId: string, query: PageQuery): Promise<Page<AdjustmentView>> => {
  await readOwnedAffiliate(ctx, affiliateId);
  return adjustments(ctx, query, { affiliateId });
};

/** Adds an item for the next payout, in minor units and not zero, because of a payout or a refund. Moves no money itself. */
export const addAdjustment = async (
  ctx: Context,
  adjustment: { affiliateId: string; amount: number } & ({ payoutId: string } | { conversionId: string }),
): Promise<void> => {
  await execute(
    ctx.em,
    db
      .insertInto('commission_adjustment')
      .values({ ...adjustment, id: ctx.ids.next(), createdAt: ctx.clock.now().toISOString() }),
  );
};

/** Whether an adjustment `d` by a person adds money without an approval. What takes money back cannot pay its author. */
export const isUnapprovedBonus = sql<boolean>`(d.kind is not null and d.amount > 0 and d.approved_at is null)`;
