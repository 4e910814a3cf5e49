import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout } from '../payout-state.queries.ts';
import { markFailed } from '../payout-transitions.ts';
import type { StepInput } from './start-attempt.ts';

/** Books money that came back after it was paid. The second call changes nothing. */
export const returnPayout = (
  ctx: Context,
  input: StepInput & { attemptId: string },
): Promise<{ outcome: 'returned' | 'already_returned' }> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    const attempt = await ctx.em.findOne(PayoutAttempt, { id: input.attemptId, payoutId: input.payoutId });
    if (!payout || !attempt) throw notFound('Payout');
    if (!attempt.applyOutcome('returned', ctx.clock.now())) return { outcome: 'already_returned' };
    const entry = { what: 'the money came back', attempt: attempt.n, railReference: attempt.railReference ?? null };
    await markFailed(ctx, payout, 'returned', entry);
    return { outcome: 'returned' };
  });
