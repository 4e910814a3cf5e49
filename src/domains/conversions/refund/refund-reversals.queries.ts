import type { Context } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import type { ExternalReference, RefundReference } from '../record/sale-input.steps.ts';
import type { Sale } from '../sale.entity.ts';

/** Returns 0 when it was stored before. The caller holds the lock of the refund. */
export const storeReversal = (
  ctx: Context,
  { programId, provider, externalId, externalSaleId }: RefundReference,
): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('sale_refund_reversal')
      .values({ programId, provider, externalId, externalSaleId, createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) => conflict.columns(['programId', 'provider', 'externalId']).doNothing()),
  );

/** Null: nothing says that the refund came to nothing. */
export const findReversal = (ctx: Context, { programId, provider, externalId }: ExternalReference) =>
  firstRow(
    ctx.em,
    db
      .selectFrom('sale_refund_reversal')
      .select('externalSaleId')
      .where('programId', '=', programId)
      .where('provider', '=', provider)
      .where('externalId', '=', externalId),
  );

/** Minor units of the refunds that were received one by one and not reversed. */
export const sumSingleRefunds = async (ctx: Context, { programId, provider, externalId }: Sale): Promise<number> => {
  const applied = await firstRow(
    ctx.em,
    db
      .selectFrom('sale_refund')
      .select(({ fn }) => fn.coalesce(fn.sum<number>('amount'), sql<number>`0`).as('total'))
      .where('programId', '=', programId)
      .where('provider', '=', provider)
      .where('externalSaleId', '=', externalId)
      .where('appliedAt', 'is not', null)
      .where('reversedAt', 'is', null),
  );
  return applied?.total ?? 0;
};

/** Minor units that are refunded of a sale by the refunds that were not reversed, or by the largest total that was reported. */
export const sumAppliedRefunds = async (ctx: Context, sale: Sale): Promise<number> => {
  const { programId, provider, externalId } = sale;
  const cumulative = await firstRow(
    ctx.em,
    db
      .selectFrom('sale_cumulative_refund')
      .select(['refundedGross', 'chargedGross'])
      .where('programId', '=', programId)
      .where('provider', '=', provider)
      .where('externalSaleId', '=', externalId),
  );
  return Math.min(sale.amount, Math.max(await sumSingleRefunds(ctx, sale), cumulative ? sale.refundedBase(cumulative) : 0));
};

/** The total that was reported may be smaller than the largest one: refunds came to nothing. The caller holds the sale's lock. */
export const lowerCumulativeRefund = (
  ctx: Context,
  { programId, provider, externalId }: ExternalReference,
  refundedGross: number,
): Promise<number> =>
  execute(
    ctx.em,
    db
      .updateTable('sale_cumulative_refund')
      .set({ refundedGross, updatedAt: ctx.clock.now().toISOString() })
      .where('programId', '=', programId)
      .where('provider', '=', provider)
      .where('externalSaleId', '=', externalId)
      .where('refundedGross', '>', refundedGross),
  );
