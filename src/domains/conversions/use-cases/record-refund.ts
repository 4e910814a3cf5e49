import { wholeSecond } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField, invariant } from '../../../platform/errors.ts';
import { findProgram } from '../../programs/index.ts';
import { refundMismatch } from '../record/payload-difference.rules.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import { assertNotInFuture, type NewRefund } from '../record/sale-input.steps.ts';
import { storeSaleProblem } from '../record/sale-problem.steps.ts';
import { findConversionId, findRefund, lockRefund, lockSale, lockSaleRow } from '../record/sales.queries.ts';
import { findReversal, sumSingleRefunds } from '../refund/refund-reversals.queries.ts';
import { applyRefund } from '../refund/refunds.steps.ts';
import type { Sale } from '../sale.entity.ts';
import { SaleRefund } from '../sale-refund.entity.ts';

export interface RecordRefundInput {
  refund: NewRefund;
}

/**
 * Records a refund. A refund received before its sale is applied once the sale arrives, and one dated before its sale is not. A duplicate
 * changes nothing, nor does one that was reversed before it was received.
 */
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
    if (await isReversed(ctx, refund)) {
      const reversedAt = ctx.clock.now();
      ctx.em.create(SaleRefund, { ...refund, id: ctx.ids.next(), createdAt: reversedAt, reversedAt });
      return { outcome: 'duplicate', conversionId };
    }
    if (sale && refund.occurredAt < wholeSecond(sale.occurredAt))
      throw invalidField('data.occurredAt', 'must not be before its sale');
    if (sale) await assertRefundable(ctx, sale, refund.amount);
    const row = ctx.em.create(SaleRefund, { ...refund, id: ctx.ids.next(), createdAt: ctx.clock.now() });
    if (!sale) return { outcome: 'waiting', conversionId: null };
    await applyRefund(ctx, sale, row, Math.min(refund.amount, sale.remaining()));
    return { outcome: conversionId ? 'recorded' : 'unattributed', conversionId };
  });

/** What a lost dispute took may be refunded too, before or after it: that takes nothing more. */
const assertRefundable = async (ctx: Context, sale: Sale, amount: number): Promise<void> => {
  if (amount <= sale.remaining()) return;
  const remaining = sale.amount - (await sumSingleRefunds(ctx, sale));
  if (amount > remaining)
    throw conflict('REFUND_EXCEEDS_SALE', 'The refund exceeds the remaining amount of the sale', { remaining });
};

/** A reversal that names another sale is not of this refund: a person has to look at it. */
const isReversed = async (ctx: Context, { externalSaleId, ...refund }: NewRefund): Promise<boolean> => {
  const reversal = await findReversal(ctx, refund);
  if (reversal === null) return false;
  if (reversal.externalSaleId === externalSaleId) return true;
  const { programId, externalId } = refund;
  const program = await findProgram(ctx, programId);
  invariant(program, 'programs are never deleted');
  await storeSaleProblem(ctx, program.merchantId, {
    eventId: `${programId}:${externalId}`,
    eventType: 'sale.refund_reversed',
    objectId: externalSaleId,
    reason: 'PAYLOAD_MISMATCH',
    detail: 'data.saleId differs from that of the refund',
  });
  return false;
};
