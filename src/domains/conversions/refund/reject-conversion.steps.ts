import type { RejectionReason } from '../../../contracts/conversions.ts';
import { type Context, emit } from '../../../platform/context.ts';
import type { LedgerTransfer } from '../../ledger/index.ts';
import type { Conversion } from '../conversion.entity.ts';
import { toConversionEvent } from '../conversions.wire.ts';
import type { Sale } from '../sale.entity.ts';
import { postWithCredit } from './post-with-credit.steps.ts';

/** Takes back a pending commission. The caller must hold the affiliate's balance lock and the locks of the sale and conversion. */
export const rejectConversion = async (
  ctx: Context,
  conversion: Conversion,
  sale: Sale,
  reason: RejectionReason,
): Promise<void> => {
  const { merchantId, programId, affiliateId, currency } = conversion;
  const revenue = conversion.amount - conversion.refunded;
  const reduction = conversion.reject(ctx.clock.now());
  const transfer: LedgerTransfer = {
    kind: 'rejection',
    from: 'pending',
    to: 'merchant_expense',
    amount: reduction,
    currency,
    merchantId,
    programId,
    affiliateId,
    referenceId: conversion.id,
  };
  await postWithCredit(ctx, [transfer], { conversions: -1, revenue: -revenue, earnings: -reduction });
  const data = { ...toConversionEvent(conversion, sale), refundAmount: 0, commissionReduction: reduction, reason };
  await emit(ctx, { type: 'conversion.refunded', merchantId, programId, data });
};
