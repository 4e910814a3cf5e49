import { type Context, inTransaction } from '../../../platform/context.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import type { ExternalReference } from '../record/sale-input.steps.ts';
import { findConversionId, lockSale, lockSaleRow } from '../record/sales.queries.ts';
import { applyCumulativeRefund, type RefundCause, storeCumulativeRefund } from '../refund/refunds.steps.ts';

export interface CumulativeRefundInput {
  sale: ExternalReference;
  /** All that was refunded so far, and what was charged, both with tax in minor units. Null: what the sale says. */
  refundedGross: number;
  chargedGross: number | null;
  occurredAt: Date;
  cause: RefundCause;
}

/**
 * Records how much of a sale is refunded so far. The largest total counts, in any order of arrival. One that is received before
 * its sale is applied once the sale arrives.
 */
export const recordCumulativeRefund = (ctx: Context, input: CumulativeRefundInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    await lockSale(ctx, input.sale);
    const sale = await lockSaleRow(ctx, input.sale);
    const isLarger = await storeCumulativeRefund(ctx, input);
    const conversionId = sale ? await findConversionId(ctx, sale.id) : null;
    if (!isLarger) return { outcome: 'duplicate', conversionId };
    if (!sale) return { outcome: 'waiting', conversionId: null };
    const isApplied = await applyCumulativeRefund(ctx, sale, input);
    if (!isApplied) return { outcome: 'duplicate', conversionId };
    return { outcome: conversionId ? 'recorded' : 'unattributed', conversionId };
  });
