import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import type { Payout } from '../payout.entity.ts';
import { attemptKey, PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout, snapshotOf } from '../payout-state.queries.ts';
import { markFailed, markProcessing } from '../payout-transitions.ts';
import type { Rails } from '../rails/rails.ts';

export interface StepInput {
  payoutId: string;
}

/** Writes the first attempt and moves to processing, before anything is sent. A second call finds it done. */
export const startAttempt = (ctx: Context, rails: Rails, input: StepInput): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    if (!payout) throw notFound('Payout');
    if (payout.status === 'pending') {
      const rail = rails.find(payout.rail);
      if (!rail) await markFailed(ctx, payout, 'no_rail', { what: 'no rail can take it' });
      else if (!rail.byHand) await openAttempt(ctx, payout);
    }
    await ctx.em.flush();
    return snapshotOf(ctx, payout.id);
  });

/** On the manual rail a person does this by `POST /payouts/{id}/process`. */
export const openAttempt = async (ctx: Context, payout: Payout): Promise<PayoutAttempt> => {
  const now = ctx.clock.now();
  const attempt = ctx.em.create(PayoutAttempt, {
    id: ctx.ids.next(),
    payoutId: payout.id,
    n: 1,
    rail: payout.rail,
    idempotencyKey: attemptKey(payout.id, 1),
    outcome: 'created',
    sendCount: 0,
    railReference: null,
    failureCode: null,
    request: null,
    response: null,
    firstSentAt: null,
    createdAt: now,
    updatedAt: now,
  });
  await markProcessing(ctx, payout, { what: 'attempt started', attempt: attempt.n });
  return attempt;
};
