import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { announceHolds, disputeHold } from '../hold/announce-conversions.steps.ts';
import { disputeMismatch } from '../record/payload-difference.rules.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import type { NewDispute } from '../record/sale-input.steps.ts';
import { findConversionId, lockSale, lockSaleRow, openDisputeSince, outweighsDispute } from '../record/sales.queries.ts';
import { applyCumulativeRefund, lockConversionOf, storeCumulativeRefund } from '../refund/refunds.steps.ts';
import type { Sale } from '../sale.entity.ts';

export interface RecordDisputeInput extends NewDispute {
  /** Minor units with tax, of which at most what was charged counts. */
  disputedGross: number;
  /** Null: what the sale says. */
  chargedGross: number | null;
  occurredAt: Date;
}

/**
 * An open dispute holds the commission of its sale: it is neither approved nor paid. A lost one is a refund, and every other
 * end lifts the hold. In any order of arrival, also before the sale: an end is final, and a loss outweighs any other. PAYLOAD_MISMATCH
 * when the dispute is of another sale, or is won after it was lost.
 */
export const recordDispute = (ctx: Context, input: RecordDisputeInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    await lockSale(ctx, input.sale);
    const sale = await lockSaleRow(ctx, input.sale);
    const isChanged = await storeDispute(ctx, input);
    await assertSameDispute(ctx, input);
    const conversionId = sale ? await findConversionId(ctx, sale.id) : null;
    if (!isChanged) return { outcome: 'duplicate', conversionId };
    const refund = { ...input, refundedGross: input.disputedGross, cause: 'dispute' as const };
    if (input.status === 'lost') await storeCumulativeRefund(ctx, refund);
    if (!sale) return { outcome: 'waiting', conversionId: null };
    await updateHold(ctx, sale);
    if (input.status === 'lost') await applyCumulativeRefund(ctx, sale, refund);
    return { outcome: conversionId ? 'recorded' : 'unattributed', conversionId };
  });

/** False when the status of the dispute stays as it is. */
const storeDispute = async (ctx: Context, input: RecordDisputeInput): Promise<boolean> => {
  const { sale, status, disputeId, disputedGross } = input;
  const at = input.occurredAt.toISOString();
  const reported = {
    status,
    disputedGross,
    closedAt: status === 'opened' ? null : at,
    updatedAt: ctx.clock.now().toISOString(),
  };
  const { programId, provider, externalId: externalSaleId } = sale;
  const stored = await execute(
    ctx.em,
    db
      .insertInto('sale_dispute')
      .values({ programId, provider, disputeId, externalSaleId, openedAt: at, ...reported })
      .onConflict((conflict) =>
        conflict.columns(['programId', 'provider', 'disputeId']).doUpdateSet(reported).where(outweighsDispute('sale_dispute')),
      ),
  );
  return stored > 0;
};

/** What was stored first stays. The caller has stored the dispute, so that nothing changes it before the end of the transaction. */
const assertSameDispute = async (ctx: Context, { sale, disputeId, status }: RecordDisputeInput): Promise<void> => {
  const stored = await firstRow(
    ctx.em,
    db
      .selectFrom('sale_dispute')
      .select(['externalSaleId', 'status'])
      .where('programId', '=', sale.programId)
      .where('provider', '=', sale.provider)
      .where('disputeId', '=', disputeId),
  );
  invariant(stored, 'the dispute is stored');
  const isOfAnother = stored.externalSaleId !== sale.externalId;
  if (!isOfAnother && !(stored.status === 'lost' && status === 'closed')) return;
  ctx.log.warn({ programId: sale.programId, disputeId }, 'a dispute was received again with different data');
  throw disputeMismatch(disputeId, isOfAnother ? 'saleId' : 'won');
};

/** The balance is locked first, so that no approval and no payout comes between. */
const updateHold = async (ctx: Context, sale: Sale): Promise<void> => {
  const row = await firstRow(ctx.em, openDisputeSince(sale));
  const disputedAt = row?.disputedAt ? new Date(row.disputedAt) : null;
  if (disputedAt?.getTime() === sale.disputedAt?.getTime()) return;
  const isNew = !sale.disputedAt;
  sale.disputedAt = disputedAt;
  const conversion = await lockConversionOf(ctx, sale);
  conversion?.setDispute(disputedAt);
  // A payout that includes the commission and has no attempt yet fails now, not when it is about to be paid.
  if (conversion && disputedAt) await ctx.onHold(ctx, conversion.affiliateId);
  if (conversion && disputedAt && isNew)
    await announceHolds(ctx, sale.merchantId, new Map([[conversion.id, disputeHold(disputedAt)]]));
};
