import { LockMode } from '@mikro-orm/core';
import { type Context, emit } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { recordSaleCredit } from '../../affiliates/index.ts';
import { lockBalance, postTransfer } from '../../ledger/index.ts';
import { isInPayout } from '../commissions.queries.ts';
import { Conversion } from '../conversion.entity.ts';
import { toConversionEvent } from '../conversions.wire.ts';
import type { Sale } from '../sale.entity.ts';
import type { SaleRefund } from '../sale-refund.entity.ts';
import { waitingRefunds } from '../sales.queries.ts';

/** Takes one refund off a sale and its commission. The caller holds the sale's lock; `amount` fits what is left. */
export const applyRefund = async (ctx: Context, sale: Sale, refund: SaleRefund, amount: number): Promise<void> => {
  const now = ctx.clock.now();
  sale.refunded += amount;
  refund.appliedAt = now;
  if (sale.affiliateId !== null && sale.affiliateId !== undefined && amount > 0) {
    await lockBalance(ctx, sale.affiliateId);
    const conversion = await ctx.em.findOneOrFail(Conversion, { saleId: sale.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    await takeBack(ctx, conversion, amount);
  }
  await ctx.em.flush();
};

/** Refunds that came before their sale. Beyond the sale's amount they count up to it. */
export const applyWaitingRefunds = async (ctx: Context, sale: Sale, conversion: Conversion | null): Promise<void> => {
  for (const refund of await waitingRefunds(ctx, sale)) {
    const amount = Math.min(refund.amount, sale.remaining());
    if (amount < refund.amount) {
      ctx.log.warn({ refundId: refund.id, conversionId: conversion?.id }, 'a waiting refund exceeds its sale');
    }
    await applyRefund(ctx, sale, refund, amount);
  }
};

/**
 * Payouts under way or done are never touched: money that stands in one is taken from what is payable instead, and
 * an adjustment row carries it into the next payout.
 */
const takeBack = async (ctx: Context, conversion: Conversion, amount: number): Promise<void> => {
  const taken = conversion.refund(amount, ctx.clock.now());
  const included = conversion.approvedAt !== null && (await isInPayout(ctx, conversion.id));
  if (included && taken > 0) await adjust(ctx, conversion, taken);
  await postTransfer(ctx, {
    kind: 'refund',
    from: conversion.approvedAt === null ? 'pending' : 'payable',
    to: 'merchant_expense',
    amount: taken,
    currency: conversion.currency,
    merchantId: conversion.merchantId,
    programId: conversion.programId,
    affiliateId: conversion.affiliateId,
    referenceId: conversion.id,
    openAdjustments: included ? taken : 0,
  });
  await recordSaleCredit(ctx, { affiliateId: conversion.affiliateId, conversions: 0, revenue: -amount, earnings: -taken });
  await ctx.em.flush();
  await emit(ctx, {
    type: 'conversion.refunded',
    merchantId: conversion.merchantId,
    programId: conversion.programId,
    data: { ...toConversionEvent(conversion), refundAmount: amount, commissionReduction: taken },
  });
};

const adjust = async (ctx: Context, conversion: Conversion, taken: number): Promise<void> => {
  conversion.adjusted += taken;
  await execute(
    ctx.em,
    sql`insert into commission_adjustment (id, affiliate_id, conversion_id, amount, created_at) values
      (${ctx.ids.next()}::uuid, ${conversion.affiliateId}::uuid, ${conversion.id}::uuid, ${-taken}::bigint,
       ${ctx.clock.now().toISOString()}::timestamptz)`,
  );
};
