import type { Context } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwnedAffiliate } from '../affiliates/index.ts';
import { db } from '../tables.ts';
import { type AdjustmentView, toAdjustment } from './adjustments.wire.ts';

const manual = ({ affiliateId }: Given<{ affiliateId: string }>) =>
  db.selectFrom('commission_adjustment as d').where('d.affiliateId', '=', affiliateId).where('d.kind', 'is not', null);

const adjustments = list({
  name: ({ affiliateId }: { affiliateId: string }) => `adjustments-${affiliateId}`,
  query: (given: Given<{ affiliateId: string }>) =>
    manual(given)
      .innerJoin('ledger_balance as b', 'b.affiliateId', 'd.affiliateId')
      .select(['d.id', 'd.affiliateId', 'b.programId', 'd.amount', 'b.currency', 'd.includedIn as payoutId', 'd.createdAt'])
      .select(['d.kind', 'd.note', 'd.createdBy'])
      .$narrowType<{ kind: AdjustmentView['kind']; note: string; createdBy: string }>(),
  counted: manual,
  sort: { key: sql.ref('d.createdAt'), id: sql.ref('d.id'), type: 'timestamptz', ascending: false },
  toItem: toAdjustment,
});

/** What the merchant adjusted for an affiliate, newest first. Throws NOT_FOUND, and FORBIDDEN for another merchant's affiliate. */
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
