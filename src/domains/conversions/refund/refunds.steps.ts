import { type Context, emit, emitInternal } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { type LedgerTransfer, lockBalance } from '../../ledger/index.ts';
import { db } from '../../tables.ts';
import type { Conversion } from '../conversion.entity.ts';
import { type SaleFields, toConversionEvent } from '../conversions.wire.ts';
import { isInPayout } from '../hold/payable-items.queries.ts';
import type { ExternalReference } from '../record/sale-input.steps.ts';
import {
  type CumulativeRefund,
  type KnownSale,
  lockConversionRow,
  lockSaleRow,
  lockWaitingRefunds,
  markWaitingRefunds,
  refuseEarlyRefunds,
} from '../record/sales.queries.ts';
import type { Sale } from '../sale.entity.ts';
import type { SaleRefund } from '../sale-refund.entity.ts';
import { addAdjustment } from './adjustments.queries.ts';
import { postWithCredit } from './post-with-credit.steps.ts';

/** Applies what was received before a sale that is now stored. A dispute is part of the sale from the start. */
export const applyWaiting = async (ctx: Context, reference: ExternalReference, known: KnownSale): Promise<void> => {
  if (!known.hasRefunds && !known.cumulativeRefund) return;
  const sale = await lockSaleRow(ctx, reference);
  invariant(sale, 'the sale is stored');
  if (known.hasRefunds) await applyWaitingRefunds(ctx, sale);
  if (known.cumulativeRefund) await applyCumulativeRefund(ctx, sale, known.cumulativeRefund);
};

const MAX_SEPARATE = 100;

/**
 * Applies the refunds that were received before their sale, unless they are dated before it, in total at most the amount of the sale. The first 100 are
 * applied one by one, each with its event, and all others as one sum, which keeps the transaction short.
 */
const applyWaitingRefunds = async (ctx: Context, sale: Sale): Promise<void> => {
  const early = await refuseEarlyRefunds(ctx, sale);
  if (early > 0) {
    ctx.log.warn({ saleId: sale.id, early }, 'refunds dated before their sale need a person');
    await emitInternal(ctx, { type: 'sale_problem.stored', merchantId: sale.merchantId });
  }
  const refunds = await lockWaitingRefunds(ctx, sale, MAX_SEPARATE);
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

/** `dispute`: one that was lost. */
export type RefundCause = 'refund' | 'dispute';

/** Keeps the largest total that was refunded of a sale; false when a larger one is known. The caller must hold the sale's lock. */
export const storeCumulativeRefund = async (
  ctx: Context,
  input: CumulativeRefund & { sale: ExternalReference; occurredAt: Date; cause: RefundCause },
): Promise<boolean> => {
  const { sale, refundedGross, chargedGross, cause } = input;
  const reported = {
    refundedGross,
    chargedGross,
    cause,
    occurredAt: input.occurredAt.toISOString(),
    updatedAt: ctx.clock.now().toISOString(),
  };
  const stored = await execute(
    ctx.em,
    db
      .insertInto('sale_cumulative_refund')
      .values({ programId: sale.programId, provider: sale.provider, externalSaleId: sale.externalId, ...reported })
      .onConflict((conflict) =>
        conflict
          .columns(['programId', 'provider', 'externalSaleId'])
          .doUpdateSet(reported)
          .whereRef('excluded.refundedGross', '>', 'sale_cumulative_refund.refundedGross'),
      ),
  );
  return stored > 0;
};

/** Reduces a sale to a total that was refunded; false when it is reduced as far already. The caller must hold the sale's lock. */
export const applyCumulativeRefund = async (ctx: Context, sale: Sale, refund: CumulativeRefund): Promise<boolean> => {
  const amount = sale.refundedBase(refund) - sale.refunded;
  if (amount <= 0) return false;
  await reduceSale(ctx, sale, amount);
  return true;
};

/** Applies a refund to a sale and its commission. The caller must hold the sale's lock; `amount` is at most what remains. */
export const applyRefund = async (ctx: Context, sale: Sale, refund: SaleRefund, amount: number): Promise<void> => {
  refund.appliedAt = ctx.clock.now();
  await reduceSale(ctx, sale, amount);
};

/** Reduces a sale and its commission by `amount`, at most what remains. The caller must hold the sale's lock. */
const reduceSale = async (ctx: Context, sale: Sale, amount: number): Promise<void> => {
  sale.refunded += amount;
  const conversion = amount > 0 ? await lockConversionOf(ctx, sale) : null;
  if (conversion) await refundConversion(ctx, conversion, sale, amount);
};

/** The conversion of a sale, locked after its affiliate's balance; null when nobody was credited. The caller holds the sale's lock. */
export const lockConversionOf = async (ctx: Context, sale: Sale): Promise<Conversion | null> => {
  if (sale.affiliateId === null || sale.affiliateId === undefined) return null;
  await lockBalance(ctx, sale.affiliateId);
  return lockConversionRow(ctx, sale.id);
};

/**
 * Reduces a commission by a refund of its sale. The caller must hold the balance's lock. An existing payout is never changed:
 * when one includes the commission, the payable balance is reduced instead, and an adjustment is added to the next payout.
 */
export const refundConversion = async (ctx: Context, conversion: Conversion, sale: SaleFields, amount: number): Promise<void> => {
  const { id, merchantId, programId, affiliateId, currency } = conversion;
  const reduction = conversion.refund(amount, ctx.clock.now());
  const inPayout = conversion.approvedAt !== null && (await isInPayout(ctx, id));
  if (inPayout && reduction > 0) {
    conversion.adjusted += reduction;
    await addAdjustment(ctx, { affiliateId, conversionId: id, amount: -reduction });
  }
  const transfer: LedgerTransfer = {
    kind: 'refund',
    from: conversion.approvedAt === null ? 'pending' : 'payable',
    to: 'merchant_expense',
    amount: reduction,
    currency,
    merchantId,
    programId,
    affiliateId,
    referenceId: id,
    openAdjustments: inPayout ? reduction : 0,
  };
  // The revenue of a rejected conversion was taken back with its commission.
  const revenue = conversion.status === 'rejected' ? 0 : -amount;
  await postWithCredit(ctx, [transfer], { conversions: 0, revenue, earnings: -reduction });
  const data = { ...toConversionEvent(conversion, sale), refundAmount: amount, commissionReduction: reduction, reason: null };
  await emit(ctx, { type: 'conversion.refunded', merchantId, programId, data });
};
