import type { Resolution } from '../../../contracts/payouts.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { closeContradiction, findOpenContradiction, type OpenContradiction } from '../contradictions.ts';
import { addCorrection, findOpenReturn, requestReturn } from '../corrections.ts';
import { railTimeOf } from '../manual/payment-time.steps.ts';
import type { Payout } from '../payout.entity.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { findLatestAttempt, lockOwnPayout } from '../payout-state.queries.ts';
import { bookFee, emitPayoutEvent, markFailed, markPaidAfterAll } from '../payout-transitions.ts';
import { startCorrectionWorkflow } from '../payout-workflow.steps.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

export interface ResolvePayoutInput {
  id: string;
  outcome: Resolution;
  note: string;
}

/**
 * Books what is true about a payout that was reported as paid and as failed. `paid` also ends the review of a return that the
 * provider does not confirm. Throws NOTHING_TO_RESOLVE for any other payout.
 */
export const resolvePayout = (ctx: Context, input: ResolvePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    const open = await findOpenContradiction(ctx, input.id);
    if (open) await resolve(ctx, payout, open, input);
    else if (!(await withdrawReturn(ctx, payout, input)))
      throw conflict('NOTHING_TO_RESOLVE', 'This payout has no open contradiction', { status: payout.status });
    return payout;
  });

const resolve = async (
  ctx: Context,
  payout: Payout,
  open: OpenContradiction,
  { outcome, note }: ResolvePayoutInput,
): Promise<void> => {
  const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id: open.attemptId }, { refresh: true });
  const entry = { type: 'contradiction_resolved', attempt: attempt.n, reason: outcome, note } as const;
  const from = payout.status === 'completed' ? 'completed' : 'failed';
  // What was paid and came back is booked already, whatever was true before.
  const isReturned = attempt.outcome === 'returned' && open.recorded !== 'returned';
  if (isReturned || outcome === (from === 'completed' ? 'paid' : 'not_paid')) {
    payout.endReview(ctx.clock.now());
    await addTimelineEntry(ctx, payout, entry);
  } else {
    attempt.resolve(outcome, ctx.clock.now());
    payout.addReference(attempt.railReference);
    await bookFee(ctx, payout, attempt);
    const { providerRecord: word } = attempt;
    if (outcome === 'paid' && word?.status === 'paid') payout.railPaidAt ??= railTimeOf(ctx, payout, new Date(word.at));
    if (outcome === 'paid') await markPaidAfterAll(ctx, payout, entry);
    else await markFailed(ctx, payout, 'resolved_not_paid', entry);
    const correction = await addCorrection(ctx, payout, attempt, { cause: 'resolution', contradiction: open.n, from, note });
    correction.close('booked', actorName(ctx.actor), payout.updatedAt);
    await startCorrectionWorkflow(ctx, payout, correction.n);
  }
  await closeContradiction(ctx, payout, { n: open.n, resolution: outcome, note });
  // The provider reported the return while the payout was recorded as failed.
  if (attempt.outcome === 'paid' && attempt.returnRequestedAt) await requestReturn(ctx, payout, attempt);
  await resolveReport(ctx, payout, attempt);
};

/** A return that was reported before the contradiction and is not confirmed: of a payout that was never paid there is none. */
const resolveReport = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  const report = await findOpenReturn(ctx, attempt);
  if (!report || (report.cause === 'rail_return' && attempt.returnRequestedAt)) return;
  if (attempt.outcome === 'paid') payout.startReview('return_unconfirmed', ctx.clock.now());
  else report.close('withdrawn', actorName(ctx.actor), ctx.clock.now());
  await startCorrectionWorkflow(ctx, payout, report.n, 'changed');
  if (attempt.outcome === 'paid') await emitPayoutEvent(ctx, payout, 'payout.needs_attention');
};

/** Returns false when no return is reported. */
const withdrawReturn = async (ctx: Context, payout: Payout, { outcome, note }: ResolvePayoutInput): Promise<boolean> => {
  const attempt = await findLatestAttempt(ctx, payout.id);
  const report = outcome === 'paid' && attempt ? await findOpenReturn(ctx, attempt) : null;
  // What the provider confirms is about to be booked.
  if (!attempt || !report || attempt.returnRequestedAt) return false;
  report.close('withdrawn', actorName(ctx.actor), ctx.clock.now());
  payout.endReview(ctx.clock.now());
  await addTimelineEntry(ctx, payout, { type: 'return_withdrawn', attempt: attempt.n, note });
  await startCorrectionWorkflow(ctx, payout, report.n, 'changed');
  return true;
};
