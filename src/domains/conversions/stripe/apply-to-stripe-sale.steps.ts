import type { Context } from '../../../platform/context.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import { storeSaleProblem } from '../record/sale-problem.steps.ts';
import { lowerRefundTotal } from '../use-cases/lower-refund-total.ts';
import { recordCumulativeRefund } from '../use-cases/record-cumulative-refund.ts';
import { recordDispute } from '../use-cases/record-dispute.ts';
import { findStripeSale, listDisputes, type StoredDispute, type StripeSaleRow } from './stripe.queries.ts';
import type { StripeEventResult } from './stripe-event.rules.ts';
import { listOtherRefunds, sumRefunds } from './stripe-refunds.queries.ts';

/** In another currency than the sale's, the amount says nothing about the share: all of the sale is disputed. */
const disputedGross = ({ charged, currency }: StripeSaleRow, dispute: StoredDispute): number =>
  dispute.currency === currency ? Math.min(dispute.amount, charged) : charged;

/**
 * Applies all refunds and disputes that are known of a sale. The caller holds the locks of its payment and invoice. Null when
 * the sale was not received: they are applied once it is.
 */
export const applyToStripeSale = async (
  ctx: Context,
  merchantId: string,
  ids: readonly string[],
): Promise<StripeEventResult | null> => {
  const sale = await findStripeSale(ctx, merchantId, ids);
  if (!sale) return null;
  const { refunded, at } = await sumRefunds(ctx, merchantId, sale);
  const problems = await storeOtherRefunds(ctx, merchantId, sale);
  const disputes = await listDisputes(ctx, merchantId, sale.externalId);
  const common = {
    sale: { programId: sale.programId, provider: 'stripe' as const, externalId: sale.externalId },
    chargedGross: sale.charged,
  };
  const changes: SaleResult[] = [];
  let total = refunded;
  for (const dispute of disputes) {
    const { disputeId, status } = dispute;
    const gross = disputedGross(sale, dispute);
    if (status === 'lost') total += gross;
    const occurredAt = new Date(dispute.occurredAt);
    changes.push(await recordDispute(ctx, { ...common, disputeId, status, disputedGross: gross, occurredAt }));
  }
  // A lost dispute does not count among the refunds of its charge.
  const refundedGross = Math.min(total, sale.charged);
  if (sale.refunded > 0) changes.push(await lowerRefundTotal(ctx, { ...common, refundedGross }));
  if (total > 0) {
    const lost = disputes.findLast(({ status }) => status === 'lost');
    const cause = lost ? 'dispute' : 'refund';
    const occurredAt = at ?? (lost ? new Date(lost.occurredAt) : ctx.clock.now());
    changes.push(await recordCumulativeRefund(ctx, { ...common, refundedGross, occurredAt, cause }));
  }
  const change = changes.find(({ outcome }) => outcome !== 'duplicate');
  if (!change && problems > 0) return { outcome: 'needs_review', conversionId: null };
  return change ?? { outcome: 'duplicate', conversionId: sale.conversionId };
};

/** Refunds in other currencies are for a person. Returns how many were not before. */
const storeOtherRefunds = async (ctx: Context, merchantId: string, sale: StripeSaleRow): Promise<number> => {
  let stored = 0;
  for (const { eventId, paymentId: objectId } of await listOtherRefunds(ctx, merchantId, sale)) {
    const problem = { eventId, eventType: 'charge.refunded', objectId, reason: 'OTHER_CURRENCY' as const };
    stored += await storeSaleProblem(ctx, merchantId, problem);
  }
  return stored;
};
