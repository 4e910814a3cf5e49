import { type Context, emit } from '../../../platform/context.ts';
import type { LedgerTransfer } from '../../ledger/index.ts';
import type { Conversion } from '../conversion.entity.ts';
import { toConversionEvent } from '../conversions.wire.ts';
import { isInPayout } from '../hold/payable-items.queries.ts';
import type { Sale } from '../sale.entity.ts';
import { addAdjustment } from './adjustments.queries.ts';
import { postWithCredit } from './post-with-credit.steps.ts';
import { lockConversionOf } from './refunds.steps.ts';

/** Refunds came to nothing: `amount` of a sale counts again, at most what is refunded. The caller must hold the sale's lock. */
export const restoreSale = async (ctx: Context, sale: Sale, amount: number): Promise<void> => {
  if (amount <= 0) return;
  sale.refunded -= amount;
  const conversion = await lockConversionOf(ctx, sale);
  if (conversion) await restoreConversion(ctx, conversion, sale, amount);
};

/**
 * Gives back what refunds took from a commission: to where it is, or by an adjustment in the next payout when one includes it. An
 * existing payout is never changed.
 */
const restoreConversion = async (ctx: Context, conversion: Conversion, sale: Sale, amount: number): Promise<void> => {
  const { id, merchantId, programId, affiliateId, currency } = conversion;
  const increase = conversion.reverseRefund(amount, ctx.clock.now());
  if (increase > 0 && conversion.approvedAt !== null && (await isInPayout(ctx, id))) {
    conversion.adjusted -= increase;
    await addAdjustment(ctx, { affiliateId, conversionId: id, amount: increase });
  }
  const transfer: LedgerTransfer = {
    kind: 'refund_reversed',
    from: 'merchant_expense',
    to: conversion.approvedAt === null ? 'pending' : 'payable',
    amount: increase,
    currency,
    merchantId,
    programId,
    affiliateId,
    referenceId: id,
  };
  // The revenue of a rejected conversion was taken back with its commission.
  const revenue = conversion.status === 'rejected' ? 0 : amount;
  await postWithCredit(ctx, [transfer], { conversions: 0, revenue, earnings: increase });
  const data = { ...toConversionEvent(conversion, sale), reversedAmount: amount, commissionIncrease: increase };
  await emit(ctx, { type: 'conversion.refund_reversed', merchantId, programId, data });
};
