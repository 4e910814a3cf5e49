import type { DisputeStatus } from '../../../contracts/conversions.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { lockConversionOf } from '../apply-refund.ts';
import { applyCumulativeRefund } from '../apply-waiting.ts';
import { storeCumulativeRefund } from '../cumulative-refund.ts';
import type { Sale } from '../sale.entity.ts';
import type { ExternalReference } from '../sale-input.ts';
import type { SaleResult } from '../sale-result.ts';
import { findConversionId, lockSale, lockSaleRow, openDisputeSince } from '../sales.queries.ts';

export interface RecordDisputeInput {
  sale: ExternalReference;
  disputeId: string;
  status: DisputeStatus;
  /** Minor units with tax. Null: what the sale says. */
  disputedGross: number;
  chargedGross: number | null;
  occurredAt: Date;
}

/**
 * An open dispute holds the commission of its sale: it is neither released nor paid. A lost one is a refund, and every other
 * end lifts the hold. In any order of arrival, also before the sale: an end is final, and a loss outweighs any other.
 */
export const recordDispute = (ctx: Context, input: RecordDisputeInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    await lockSale(ctx, input.sale);
    const sale = await lockSaleRow(ctx, input.sale);
    const isChanged = await storeDispute(ctx, input);
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
  const { sale, status } = input;
  const at = sql`${input.occurredAt.toISOString()}::timestamptz`;
  const stored = await execute(
    ctx.em,
    sql`insert into sale_dispute as known
        (program_id, provider, dispute_id, external_sale_id, status, disputed_gross, opened_at, closed_at, updated_at)
      values (${sale.programId}::uuid, ${sale.provider}, ${input.disputeId}, ${sale.externalId}, ${status},
        ${input.disputedGross}::bigint, ${at}, ${status === 'opened' ? null : input.occurredAt.toISOString()}::timestamptz,
        ${ctx.clock.now().toISOString()}::timestamptz)
      on conflict (program_id, provider, dispute_id) do update set status = excluded.status,
        disputed_gross = excluded.disputed_gross, closed_at = excluded.closed_at, updated_at = excluded.updated_at
      where (known.status = 'opened' and excluded.status <> 'opened') or (known.status = 'closed' and excluded.status = 'lost')`,
  );
  return stored > 0;
};

/** The balance is locked first, so that no release and no payout comes between. */
const updateHold = async (ctx: Context, sale: Sale): Promise<void> => {
  const row = await firstRow(ctx.em, openDisputeSince(sale));
  const disputedAt = row?.disputedAt ? new Date(row.disputedAt) : null;
  if (disputedAt?.getTime() === sale.disputedAt?.getTime()) return;
  sale.disputedAt = disputedAt;
  const conversion = await lockConversionOf(ctx, sale);
  conversion?.setDispute(disputedAt);
  await ctx.em.flush();
  // A payout that includes the commission and has no attempt yet fails now, not when it is about to be paid.
  if (conversion && disputedAt) await ctx.onHold(ctx, conversion.affiliateId);
};
