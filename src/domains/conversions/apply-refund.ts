import { LockMode } from '@mikro-orm/core';
import { type Context, emit } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { saleCredit } from '../affiliates/index.ts';
import { type LedgerTransfer, lockBalance, postTransfer } from '../ledger/index.ts';
import { isInPayout } from './commissions.queries.ts';
import { Conversion } from './conversion.entity.ts';
import { type SaleFields, toConversionEvent } from './conversions.wire.ts';
import type { Sale } from './sale.entity.ts';
import type { SaleRefund } from './sale-refund.entity.ts';
import { findWaitingRefunds, markWaitingRefunds } from './sales.queries.ts';

/** Applies a refund to a sale and its commission. The caller must hold the sale's lock; `amount` is at most what remains. */
export const applyRefund = async (ctx: Context, sale: Sale, refund: SaleRefund, amount: number): Promise<void> => {
  refund.appliedAt = ctx.clock.now();
  await reduceSale(ctx, sale, amount);
};

const MAX_SEPARATE = 100;

/**
 * Applies the refunds that were received before their sale, in total at most the amount of the sale. The first 100 are
 * applied one by one, each with its event, and all others as one sum, which keeps the transaction short.
 */
export const applyWaitingRefunds = async (ctx: Context, sale: Sale): Promise<void> => {
  const refunds = await findWaitingRefunds(ctx, sale, MAX_SEPARATE);
  let excess = 0;
  for (const refund of refunds) {
    const amount = Math.min(refund.amount, sale.remaining());
    excess += refund.amount - amount;
    await applyRefund(ctx, sale, refund, amount);
  }
  if (refunds.length === MAX_SEPARATE) {
    const rest = await markWaitingRefunds(ctx, sale);
    const amount = Math.min(rest, sale.remaining());
    excess += rest - amount;
    if (amount > 0) await reduceSale(ctx, sale, amount);
  }
  if (excess > 0) {
    ctx.log.warn({ saleId: sale.id, excess }, 'refunds received before their sale exceed its amount');
  }
};

/** Reduces a sale and its commission by `amount`, at most what remains. The caller must hold the sale's lock. */
export const reduceSale = async (ctx: Context, sale: Sale, amount: number): Promise<void> => {
  sale.refunded += amount;
  const conversion = amount > 0 ? await lockConversionOf(ctx, sale) : null;
  if (conversion) await refundConversion(ctx, conversion, sale, amount);
  await ctx.em.flush();
};

/** The conversion of a sale, locked after its affiliate's balance; null when nobody was credited. The caller holds the sale's lock. */
export const lockConversionOf = async (ctx: Context, sale: Sale): Promise<Conversion | null> => {
  if (sale.affiliateId === null || sale.affiliateId === undefined) return null;
  await lockBalance(ctx, sale.affiliateId);
  return ctx.em.findOneOrFail(Conversion, { saleId: sale.id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
};

/**
 * Reduces a commission by a refund of its sale. The caller must hold the balance's lock. An existing payout is never changed:
 * when one includes the commission, the payable balance is reduced instead, and an adjustment is added to the next payout.
 */
export const refundConversion = async (ctx: Context, conversion: Conversion, sale: SaleFields, amount: number): Promise<void> => {
  const reduction = conversion.refund(amount, ctx.clock.now());
  const inPayout = conversion.approvedAt !== null && (await isInPayout(ctx, conversion.id));
  if (inPayout && reduction > 0) await addAdjustment(ctx, conversion, reduction);
  const transfer: LedgerTransfer = {
    kind: 'refund',
    from: conversion.approvedAt === null ? 'pending' : 'payable',
    to: 'merchant_expense',
    amount: reduction,
    currency: conversion.currency,
    merchantId: conversion.merchantId,
    programId: conversion.programId,
    affiliateId: conversion.affiliateId,
    referenceId: conversion.id,
    openAdjustments: inPayout ? reduction : 0,
  };
  // The revenue of a rejected conversion was taken back with its commission.
  const revenue = conversion.status === 'rejected' ? 0 : -amount;
  await postTransfer(ctx, transfer, [saleCredit({ conversions: 0, revenue, earnings: -reduction })]);
  await ctx.em.flush();
  await emit(ctx, {
    type: 'conversion.refunded',
    merchantId: conversion.merchantId,
    programId: conversion.programId,
    data: { ...toConversionEvent(conversion, sale), refundAmount: amount, commissionReduction: reduction, reason: null },
  });
};

const addAdjustment = async (ctx: Context, conversion: Conversion, reduction: number): Promise<void> => {
  conversion.adjusted += reduction;
  await execute(
    ctx.em,
    sql`insert into commission_adjustment (id, affiliate_id, conversion_id, amount, created_at) values
      (${ctx.ids.next()}::uuid, ${conversion.affiliateId}::uuid, ${conversion.id}::uuid, ${-reduction}::bigint,
       ${ctx.clock.now().toISOString()}::timestamptz)`,
  );
};
