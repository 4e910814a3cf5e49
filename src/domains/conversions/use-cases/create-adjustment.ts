import type { AdjustmentKind } from '../../../contracts/conversions.ts';
import { MAX_OPEN_ADJUSTMENTS } from '../../../contracts/limits.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { readOwnedAffiliate } from '../../affiliates/index.ts';
import { findApprovalThreshold, reachesThreshold } from '../../merchants/index.ts';
import { lockProgramShared } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import { AdjustmentRequest } from '../adjustment-request.entity.ts';
import { type AdjustmentView, toAdjustment } from '../refund/adjustments.wire.ts';
import { type BookedAdjustment, bookAdjustment, tooManyAdjustments } from '../refund/book-adjustment.steps.ts';

export interface CreateAdjustmentInput {
  affiliateId: string;
  /** Minor units of the program's currency; negative takes money back. */
  amount: number;
  kind: AdjustmentKind;
  note: string;
}

/**
 * Adjusts what is payable to an affiliate, blocked or not, by an item of the next payout. From the merchant's approval threshold on, in
 * either direction, nothing is booked before a second actor approves it.
 */
export const createAdjustment = (ctx: Context, input: CreateAdjustmentInput): Promise<AdjustmentView> =>
  inTransaction(ctx, async (ctx) => {
    const affiliate = await readOwnedAffiliate(ctx, input.affiliateId);
    // The first amount of a program fixes its currency.
    const { id: programId, merchantId, currency } = await lockProgramShared(ctx, affiliate.programId);
    const { affiliateId, kind, amount } = input;
    const adjustment = {
      ...input,
      id: ctx.ids.next(),
      merchantId,
      programId,
      currency,
      createdBy: actorName(ctx.actor),
      createdAt: ctx.clock.now(),
      approved: null,
    };
    const threshold = await findApprovalThreshold(ctx, merchantId);
    const isRequest = reachesThreshold([{ currency, amount: Math.abs(amount) }], threshold);
    await (isRequest ? requestApproval : bookAdjustment)(ctx, adjustment);
    await recordChange(ctx, {
      ownerId: merchantId,
      action: isRequest ? 'adjustment.requested' : 'adjustment.created',
      resourceId: adjustment.id,
      after: { affiliateId, kind, amount, currency },
      hidden: ['note'],
    });
    const status = isRequest ? 'awaiting_approval' : 'booked';
    return toAdjustment({ ...adjustment, status, payoutId: null, approvedBy: null, approvedAt: null });
  });

/** Throws TOO_MANY_ADJUSTMENTS; requests at once may exceed the number by one each. */
const requestApproval = async (ctx: Context, { approved: _, ...request }: BookedAdjustment): Promise<void> => {
  const { id: adjustmentId, merchantId, affiliateId, amount, currency, kind } = request;
  const waiting = await firstRow(
    ctx.em,
    db
      .selectFrom('adjustment_request')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('affiliateId', '=', affiliateId)
      .where('status', '=', sql.lit('awaiting_approval' as const)),
  );
  if ((waiting?.count ?? 0) >= MAX_OPEN_ADJUSTMENTS) throw tooManyAdjustments();
  ctx.em.create(AdjustmentRequest, request);
  await emitInternal(ctx, {
    type: 'adjustment.approval_requested',
    n: 0,
    adjustmentId,
    merchantId,
    affiliateId,
    amount,
    currency,
    kind,
  });
};
