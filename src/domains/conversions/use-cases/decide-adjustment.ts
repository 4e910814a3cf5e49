import { APPROVAL_TIMING, type CancelledWork } from '../../../contracts/approvals.ts';
import type { AuditAction } from '../../../contracts/audit-log.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after } from '../../../platform/clock.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { conflict, invariant } from '../../../platform/errors.ts';
import { lockOwned, readOwned } from '../../../platform/ownership.ts';
import { findAffiliate } from '../../affiliates/index.ts';
import { assertSecondActor, isGone } from '../../auth/index.ts';
import { lockProgramShared } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import { AdjustmentRequest } from '../adjustment-request.entity.ts';
import { type AdjustmentView, toAdjustment } from '../refund/adjustments.wire.ts';
import { bookAdjustment } from '../refund/book-adjustment.steps.ts';

/** Throws NOT_FOUND and FORBIDDEN, and APPROVAL_NOT_REQUIRED for an adjustment that was booked at once. */
const lockRequest = async (ctx: Context, id: string): Promise<AdjustmentRequest> => {
  const booked = await firstRow(
    ctx.em,
    db
      .selectFrom('commission_adjustment as d')
      .innerJoin('affiliate as a', 'a.id', 'd.affiliateId')
      .select('a.merchantId')
      .where('d.id', '=', id)
      .where('d.kind', 'is not', null)
      .where('d.approvedAt', 'is', null),
  );
  if (booked) {
    readOwned(ctx, 'Adjustment', booked);
    throw conflict('APPROVAL_NOT_REQUIRED', 'Nobody has to approve this adjustment: it is booked', { status: 'booked' });
  }
  return lockOwned(ctx, 'Adjustment', AdjustmentRequest, { id });
};

const record = (ctx: Context, action: AuditAction, request: AdjustmentRequest): Promise<void> => {
  const { id: resourceId, merchantId: ownerId, affiliateId, kind, amount, currency } = request;
  return recordChange(ctx, { ownerId, action, resourceId, after: { affiliateId, kind, amount, currency } });
};

const viewOf = (request: AdjustmentRequest): AdjustmentView => {
  const isBooked = request.status === 'booked';
  const { decidedBy, decidedAt } = request;
  return toAdjustment({
    ...request,
    payoutId: null,
    approvedBy: isBooked ? (decidedBy ?? null) : null,
    approvedAt: isBooked ? (decidedAt ?? null) : null,
  });
};

/**
 * Books an adjustment that waited. Throws ALREADY_DECIDED, SAME_ACTOR, and OTHER_CURRENCY when the program has another one since. Of
 * two decisions at once the row's lock lets one win.
 */
export const approveAdjustment = (ctx: Context, { id }: { id: string }): Promise<AdjustmentView> =>
  inTransaction(ctx, async (ctx) => {
    const request = await lockRequest(ctx, id);
    request.assertWaiting();
    const { affiliateId, programId, currency, createdBy, createdAt: madeAt } = request;
    const affiliate = await findAffiliate(ctx, affiliateId);
    invariant(affiliate, 'a membership is never deleted');
    await assertSecondActor(ctx, { createdBy, madeAt, profileIds: [affiliate.profileId] });
    const program = await lockProgramShared(ctx, programId);
    if (program.currency !== currency)
      throw conflict('OTHER_CURRENCY', 'The program has another currency since', { currency: program.currency });
    const approved = { by: actorName(ctx.actor), at: ctx.clock.now() };
    await bookAdjustment(ctx, { ...request, approved });
    request.decide('booked', approved.by, approved.at);
    await record(ctx, 'adjustment.approved', request);
    return viewOf(request);
  });

/** Throws ALREADY_DECIDED. Anybody who may approve, and its creator, may refuse it. */
export const cancelAdjustment = (ctx: Context, { id }: { id: string }): Promise<AdjustmentView> =>
  inTransaction(ctx, async (ctx) => {
    const request = await lockRequest(ctx, id);
    request.decide('cancelled', actorName(ctx.actor), ctx.clock.now());
    await record(ctx, 'adjustment.cancelled', request);
    return viewOf(request);
  });

const BATCH = 100;
/** Smaller batch for adjustments whose creator is gone: the request that ends their access waits for these. */
const GONE_BATCH = 50;

/** Adjustments that wait in the name of somebody who may no longer ask for them, of one merchant or of all: at most a batch. */
export const cancelAdjustmentsOfGone = (ctx: Context, merchantId: string | null): Promise<CancelledWork[]> =>
  inTransaction(ctx, async (ctx) => {
    const found = db
      .selectFrom('adjustment_request')
      .select('id')
      .where('status', '=', sql.lit('awaiting_approval' as const))
      .where(
        isGone({
          actor: sql`adjustment_request.created_by`,
          merchantId: sql`adjustment_request.merchant_id`,
          scope: 'payouts:write',
        }),
      )
      .orderBy('id')
      .limit(sql.lit(GONE_BATCH))
      .forUpdate();
    const gone = await rows(ctx.em, merchantId === null ? found : found.where('merchantId', '=', merchantId));
    const requests = await ctx.em.find(AdjustmentRequest, { id: { $in: gone.map(({ id }) => id) } }, { refresh: true });
    for (const request of requests) {
      request.decide('cancelled', actorName(ctx.actor), ctx.clock.now());
      await record(ctx, 'adjustment.cancelled', request);
    }
    return requests.map(({ id }) => ({ kind: 'adjustment', id }));
  });

/** Ends adjustments that nobody approved in time. Returns how many, at most a batch; what is being decided is left out. */
export const expireAdjustments = (ctx: Context): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const before = after(now, -ctx.settings.scaled(APPROVAL_TIMING.expireAfterMs)).toISOString();
    const due = await rows(
      ctx.em,
      db
        .selectFrom('adjustment_request')
        .select('id')
        .where('status', '=', sql.lit('awaiting_approval' as const))
        .where('createdAt', '<=', before)
        .orderBy('createdAt')
        .limit(sql.lit(BATCH))
        .forUpdate()
        .skipLocked(),
    );
    const requests = await ctx.em.find(AdjustmentRequest, { id: { $in: due.map(({ id }) => id) } });
    for (const request of requests) {
      request.decide('expired', actorName(ctx.actor), now);
      await record(ctx, 'adjustment.expired', request);
    }
    return requests.length;
  });
