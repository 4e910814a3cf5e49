import type { RejectionReason } from '../../contracts/conversions.ts';
import { type Context, emit } from '../../platform/context.ts';
import { recordSaleCredit } from '../affiliates/index.ts';
import { postTransfer } from '../ledger/index.ts';
import type { Conversion } from './conversion.entity.ts';
import { toConversionEvent } from './conversions.wire.ts';

/** Takes back a pending commission. The caller must hold the affiliate's balance lock and the lock of the conversion. */
export const rejectConversion = async (ctx: Context, conversion: Conversion, reason: RejectionReason): Promise<void> => {
  const { merchantId, programId, affiliateId, currency } = conversion;
  const revenue = conversion.amount - conversion.refunded;
  const reduction = conversion.reject(ctx.clock.now());
  await postTransfer(ctx, {
    kind: 'rejection',
    from: 'pending',
    to: 'merchant_expense',
    amount: reduction,
    currency,
    merchantId,
    programId,
    affiliateId,
    referenceId: conversion.id,
  });
  await recordSaleCredit(ctx, { affiliateId, conversions: 0, revenue: -revenue, earnings: -reduction });
  await ctx.em.flush();
  const data = { ...toConversionEvent(conversion), refundAmount: 0, commissionReduction: reduction, reason };
  await emit(ctx, { type: 'conversion.refunded', merchantId, programId, data });
};
