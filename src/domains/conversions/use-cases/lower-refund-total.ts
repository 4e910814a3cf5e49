import { type Context, inTransaction } from '../../../platform/context.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import type { ExternalReference } from '../record/sale-input.steps.ts';
import type { CumulativeRefund } from '../record/sales.queries.ts';
import { findConversionId, lockSale, lockSaleRow } from '../record/sales.queries.ts';
import { lowerCumulativeRefund } from '../refund/refund-reversals.queries.ts';
import { restoreSale } from '../refund/refund-reversals.steps.ts';

/** Less of a sale is refunded than was reported: what the difference took is given back. A total that is not smaller changes nothing. */
export const lowerRefundTotal = (ctx: Context, input: CumulativeRefund & { sale: ExternalReference }): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    await lockSale(ctx, input.sale);
    const sale = await lockSaleRow(ctx, input.sale);
    if (!sale) return { outcome: 'waiting', conversionId: null };
    const conversionId = await findConversionId(ctx, sale.id);
    const excess = sale.refunded - sale.refundedBase(input);
    if (excess <= 0) return { outcome: 'duplicate', conversionId };
    await lowerCumulativeRefund(ctx, input.sale, input.refundedGross);
    await restoreSale(ctx, sale, excess);
    return { outcome: conversionId ? 'recorded' : 'unattributed', conversionId };
  });
