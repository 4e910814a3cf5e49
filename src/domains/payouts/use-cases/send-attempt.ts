import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { applyRailResult } from '../apply-rail-status.ts';
import type { Payout } from '../payout.entity.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout, snapshotOf } from '../payout-state.queries.ts';
import type { PayoutRail, TransferOrder } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import { addTimelineEntry } from '../timeline.ts';
import type { StepInput } from './start-attempt.ts';

/**
 * Sends an attempt that was never sent. Runs at least once: an attempt that was marked as sent before is not sent
 * again, whatever became of it; only a look-up may follow.
 */
export const submitAttempt = async (
  ctx: Context,
  rails: Rails,
  input: StepInput & { attemptId: string },
): Promise<PayoutSnapshot> => {
  const order = await inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    const attempt = await ctx.em.findOne(PayoutAttempt, { id: input.attemptId });
    const rail = payout && rails.find(payout.rail);
    if (!payout || !rail || attempt?.outcome !== 'created' || payout.status !== 'processing') return null;
    return { rail, order: await prepareSend(ctx, payout, attempt) };
  });
  if (order) await sendMarked(ctx, order.rail, order.order, input);
  return snapshotOf(ctx, input.payoutId);
};

/** Marks the sending first: a crash after this line leaves "unknown", never "not sent". */
export const prepareSend = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<TransferOrder> => {
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

/** The send itself, outside every transaction, and what came of it. */
export const sendMarked = async (ctx: Context, rail: PayoutRail, order: TransferOrder, input: StepInput): Promise<void> => {
  faultPoint('payout:before-submit');
  const answer = await rail.submit(order);
  faultPoint('payout:after-submit');
  await inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { idempotencyKey: order.idempotencyKey }, { refresh: true });
    if (!payout) return;
    await addTimelineEntry(ctx, payout, {
      what: `sent to ${rail.name}: ${answer.outcome}`,
      attempt: attempt.n,
      railReference: answer.railReference,
      reason: answer.problem ?? answer.failureCode,
    });
    await applyRailResult(ctx, payout, attempt, answer);
    await ctx.em.flush();
  });
};
