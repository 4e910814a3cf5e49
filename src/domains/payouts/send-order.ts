import type { PayoutDetails } from '../../contracts/payouts.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { applyRailResult } from './apply-rail-status.ts';
import type { Payout } from './payout.entity.ts';
import { PayoutAttempt } from './payout-attempt.entity.ts';
import { lockPayout } from './payout-state.queries.ts';
import type { PayoutRail, TransferOrder } from './rails/rail.ts';
import { addTimelineEntry } from './timeline.ts';

/** Marks the attempt as sent first: after a crash its outcome is unknown, never "not sent". */
export const prepareOrder = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<TransferOrder> => {
  attempt.markSent(ctx.clock.now());
  await ctx.em.flush();
  const details = JSON.parse(
    ctx.cipher.decrypt(payout.details, { table: 'payout', column: 'details', row: payout.id }),
  ) as PayoutDetails;
  return {
    idempotencyKey: attempt.idempotencyKey,
    reference: payout.id,
    amountMinor: payout.amount,
    currency: payout.currency,
    details,
  };
};

/** Sends a prepared order outside any transaction, then applies the result. */
export const sendOrder = async (ctx: Context, rail: PayoutRail, order: TransferOrder): Promise<void> => {
  faultPoint('payout:before-submit');
  const result = await rail.submit(order);
  faultPoint('payout:after-submit');
  await inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, order.reference);
    const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { idempotencyKey: order.idempotencyKey }, { refresh: true });
    await addTimelineEntry(ctx, payout, {
      type: 'attempt_sent',
      attempt: attempt.n,
      outcome: result.outcome,
      railReference: result.railReference,
      reason: result.problem ?? result.failureCode,
    });
    await applyRailResult(ctx, payout, attempt, result);
    await ctx.em.flush();
  });
};
