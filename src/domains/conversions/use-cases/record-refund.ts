import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import { Sale } from '../sale.entity.ts';
import type { NewRefund } from '../sale-input.ts';
import { SaleRefund } from '../sale-refund.entity.ts';
import type { SaleResult } from '../sale-result.ts';
import { findConversionId, findRefund, lockSale } from '../sales.queries.ts';
import { applyRefund } from './apply-refund.ts';

export interface RecordRefundInput {
  program: ProgramRecord;
  refund: NewRefund;
}

/** Records a refund once. One that comes before its sale waits for it; a repeat changes nothing. */
export const recordRefund = (ctx: Context, { program, refund }: RecordRefundInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    // The sale's own event takes the same lock: neither can miss the other.
    await lockSale(ctx, { ...refund, externalId: refund.externalSaleId });
    const at = { programId: program.id, provider: refund.provider };
    const sale = await ctx.em.findOne(
      Sale,
      { ...at, externalId: refund.externalSaleId },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    const conversionId = sale ? await findConversionId(ctx, sale.id) : null;
    const known = await findRefund(ctx, refund);
    if (known && known.payloadHash === refund.payloadHash) return { outcome: 'duplicate', conversionId };
    if (known) {
      ctx.log.warn({ refundId: known.id, programId: program.id }, 'a refund was sent again with other facts');
      throw conflict('PAYLOAD_MISMATCH', 'This refund was recorded with other facts', { refundId: refund.externalId });
    }
    if (sale && refund.amount > sale.remaining()) {
      throw conflict('REFUND_EXCEEDS_SALE', 'More would be refunded than was paid', { remaining: sale.remaining() });
    }
    const row = ctx.em.create(SaleRefund, { ...refund, id: ctx.ids.next(), createdAt: ctx.clock.now(), appliedAt: null });
    if (!sale) return { outcome: 'waiting', conversionId: null };
    await applyRefund(ctx, sale, row, refund.amount);
    return { outcome: conversionId ? 'recorded' : 'unattributed', conversionId };
  });
