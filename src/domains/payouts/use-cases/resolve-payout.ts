import type { Resolution } from '../../../contracts/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { closeContradiction, findOpenContradiction } from '../contradictions.ts';
import type { Payout } from '../payout.entity.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockOwnPayout } from '../payout-state.queries.ts';
import { markFailed, markPaidAfterAll } from '../payout-transitions.ts';
import { startReturnWorkflow } from '../payout-workflow.ts';
import { addTimelineEntry } from '../timeline.ts';

export interface ResolvePayoutInput {
  id: string;
  outcome: Resolution;
  note: string;
}

/** Books what is true about a payout that was reported as paid and as failed. Throws NOTHING_TO_RESOLVE for any other. */
export const resolvePayout = (ctx: Context, { id, outcome, note }: ResolvePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, id);
    const open = await findOpenContradiction(ctx, id);
    if (!open) throw conflict('NOTHING_TO_RESOLVE', 'This payout has no open contradiction', { status: payout.status });
    const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id: open.attemptId }, { refresh: true });
    const entry = { type: 'contradiction_resolved', attempt: attempt.n, reason: outcome, note } as const;
    // What was paid and came back is booked already, whatever was true before.
    if (attempt.outcome === 'returned' || outcome === (payout.status === 'completed' ? 'paid' : 'not_paid')) {
      payout.endReview(ctx.clock.now());
      await addTimelineEntry(ctx, payout, entry);
    } else {
      attempt.resolve(outcome, ctx.clock.now());
      if (outcome === 'paid') await markPaidAfterAll(ctx, payout, entry);
      else await markFailed(ctx, payout, 'resolved_not_paid', entry);
    }
    await closeContradiction(ctx, payout, { n: open.n, resolution: outcome, note });
    // The provider reported the return while the payout was recorded as failed.
    if (attempt.outcome === 'paid' && attempt.returnRequestedAt) await startReturnWorkflow(ctx, attempt.id);
    return payout;
  });
