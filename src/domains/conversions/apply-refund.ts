import { LockMode } from '@mikro-orm/core';
import { type Context, emit } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { recordSaleCredit } from '../affiliates/index.ts';
import { lockBalance, postTransfer } from '../ledger/index.ts';
import { isInPayout } from './commissions.queries.ts';
import { Conversion } from './conversion.entity.ts';
import { toConversionEvent } from './conversions.wire.ts';
import type { Sale } from './sale.entity.ts';
import type { SaleRefund } from './sale-refund.entity.ts';
import { findWaitingRefunds } from './sales.queries.ts';

/** Applies a refund to a sale and its commission. The caller must hold the sale's lock; `amount` is at most what remains. */
export const applyRefund = async (ctx: Context, sale: Sale, refund: SaleRefund, amount: number): Promise<void> => {
  const now = ctx.clock.now();
  sale.refunded += amount;
  refund.appliedAt = now;
  if (sale.affiliateId !== null && sale.affiliateId !== undefined && amount > 0) {
    await lockBalance(ctx, sale.affiliateId);
    const conversion = await ctx.em.findOneOrFail(Conversion, { saleId: sale.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    await reduceCommission(ctx, conversion, amount);
  }
  await ctx.em.flush();
};

/** Applies the refunds that were received before their sale, in total at most the amount of the sale. */
export const applyWaitingRefunds = async (ctx: Context, sale: Sale, conversion: Conversion | null): Promise<void> => {
  for (const refund of await findWaitingRefunds(ctx, sale)) {
    const amount = Math.min(refund.amount, sale.remaining());
    if (amount < refund.amount) {
      ctx.log.warn({ refundId: refund.id, conversionId: conversion?.id }, 'refunds received before their sale exceed its amount');
    }
    await applyRefund(ctx, sale, refund, amount);
  }
};

/**
 * An existing payout is never changed. When one includes the commission, the payable balance is reduced instead and an
 * adjustment is added to the next payout.
 */
const reduceCommission = async (ctx: Context, conversion: Conversion, amount: number): Promise<void> => {
  const reduction = conversion.refund(amount, ctx.clock.now());
  const inPayout = conversion.approvedAt !== null && (await isInPayout(ctx, conversion.id));
  if (inPayout && reduction > 0) await addAdjustment(ctx, conversion, reduction);
  await postTransfer(ctx, {
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
  });
  await recordSaleCredit(ctx, { affiliateId: conversion.affiliateId, conversions: 0, revenue: -amount, earnings: -reduction });
  await ctx.em.flush();
  await emit(ctx, {
    type: 'conversion.refunded',
    merchantId: conversion.merchantId,
    programId: conversion.programId,
    data: { ...toConversionEvent(conversion), refundAmount: amount, commissionReduction: reduction },
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
