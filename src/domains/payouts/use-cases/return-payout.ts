import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout } from '../payout-state.queries.ts';
import { markFailed } from '../payout-transitions.ts';

/** Records that a paid payout was returned: its money is payable again. The second call changes nothing. */
export const returnPayout = (
  ctx: Context,
  input: { payoutId: string; attemptId: string },
): Promise<{ outcome: 'returned' | 'already_returned' }> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    const attempt = await ctx.em.findOne(PayoutAttempt, { id: input.attemptId, payoutId: input.payoutId });
    if (!attempt) throw notFound('Payout attempt');
    if (!attempt.applyOutcome('returned', ctx.clock.now())) return { outcome: 'already_returned' };
    const { n, railReference = null, failureCode: reason = null } = attempt;
    payout.railReason = reason;
    await markFailed(ctx, payout, 'returned', { type: 'returned', attempt: n, railReference, reason });
    return { outcome: 'returned' };
  });
