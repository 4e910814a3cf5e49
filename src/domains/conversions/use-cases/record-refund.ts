import { wholeSecond } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { refundMismatch } from '../payload-difference.ts';
import { applyRefund } from '../refunds.ts';
import type { SaleResult } from '../sale-events.wire.ts';
import { assertNotInFuture, type NewRefund } from '../sale-input.ts';
import { SaleRefund } from '../sale-refund.entity.ts';
import { findConversionId, findRefund, lockRefund, lockSale, lockSaleRow } from '../sales.queries.ts';

export interface RecordRefundInput {
  refund: NewRefund;
}

/** Records a refund. A refund received before its sale is applied once the sale arrives, and one
 * dated before its sale is not. A duplicate changes nothing. */
export const recordRefund = (ctx: Context, { refund }: RecordRefundInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    assertNotInFuture(ctx, refund.occurredAt);
    await lockRefund(ctx, refund);
    // The event of the sale takes the same lock, so each of them sees the other.
    await lockSale(ctx, { ...refund, externalId: refund.externalSaleId });
    const sale = await lockSaleRow(ctx, { ...refund, externalId: refund.externalSaleId });
    const conversionId = sale ? await findConversionId(ctx, sale.id) : null;
    const existing = await findRefund(ctx, refund);
    if (existing && existing.payloadHash === refund.payloadHash) return { outcome: 'duplicate', conversionId };
    if (existing) {
      ctx.log.warn({ refundId: existing.id, programId: refund.programId }, 'a refund was received again with different data');
      throw refundMismatch(existing, refund);
    }
    if (sale && refund.occurredAt < wholeSecond(sale.occurredAt))
      throw invalidField('data.occurredAt', 'must not be before its sale');
    if (sale && refund.amount > sale.remaining()) {
      throw conflict('REFUND_EXCEEDS_SALE', 'The refund exceeds the remaining amount of the sale', {
        remaining: sale.remaining(),
      });
    }
    const row = ctx.em.create(SaleRefund, { ...refund, id: ctx.ids.next(), createdAt: ctx.clock.now() });
    if (!sale) return { outcome: 'waiting', conversionId: null };
    await applyRefund(ctx, sale, row, refund.amount);
    return { outcome: conversionId ? 'recorded' : 'unattributed', conversionId };
  });
