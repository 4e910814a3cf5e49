import { type Context, inTransaction } from '../../../platform/context.ts';
import { refundMismatch } from '../record/payload-difference.rules.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import type { RefundReference } from '../record/sale-input.steps.ts';
import { findConversionId, findRefund, lockRefund, lockSale, lockSaleRow } from '../record/sales.queries.ts';
import { storeReversal, sumAppliedRefunds } from '../refund/refund-reversals.queries.ts';
import { restoreSale } from '../refund/refund-reversals.steps.ts';

/**
 * A refund came to nothing: what it took is given back. One that was not received yet takes nothing when it comes, and one that waits
 * for its sale never will. A duplicate changes nothing.
 */
export const reverseRefund = (ctx: Context, { refund: reference }: { refund: RefundReference }): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    await lockRefund(ctx, reference);
    const ofSale = { ...reference, externalId: reference.externalSaleId };
    await lockSale(ctx, ofSale);
    const sale = await lockSaleRow(ctx, ofSale);
    const conversionId = sale ? await findConversionId(ctx, sale.id) : null;
    const refund = await findRefund(ctx, reference);
    if (!refund) {
      const stored = await storeReversal(ctx, reference);
      return { outcome: stored > 0 ? 'waiting' : 'duplicate', conversionId };
    }
    if (refund.externalSaleId !== reference.externalSaleId) throw refundMismatch(refund, { ...refund, ...reference });
    if (refund.reversedAt) return { outcome: 'duplicate', conversionId };
    refund.reversedAt = ctx.clock.now();
    if (!sale) return { outcome: 'waiting', conversionId: null };
    if (refund.appliedAt) await restoreSale(ctx, sale, sale.refunded - (await sumAppliedRefunds(ctx, sale)));
    return { outcome: conversionId ? 'recorded' : 'unattributed', conversionId };
  });
