import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import type { Payout } from '../payout.entity.ts';
import { lockOwnPayout, newestAttempt } from '../payout-state.queries.ts';
import { markCompleted, markFailed } from '../payout-transitions.ts';
import { signalPayoutWorkflow } from '../payout-workflow.ts';
import { openAttempt } from './start-attempt.ts';

export interface MarkInput {
  id: string;
  note?: string | undefined;
}

const railNotManual = (payout: Payout) =>
  conflict('RAIL_NOT_MANUAL', `The ${payout.rail} rail decides on this payout`, {
    rail: payout.rail,
    needsAttention: payout.needsAttention,
  });

/** Manual rail: somebody begins to pay. */
export const processPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (payout.rail !== 'manual') throw railNotManual(payout);
    if (payout.status === 'pending') await openAttempt(ctx, payout);
    else payout.transitionTo('processing', ctx.clock.now());
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });

/** Manual rail, or a payout that waits for a person and is decided with a note. */
const mark = (ctx: Context, input: MarkInput, outcome: 'paid' | 'failed'): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    const decidesByNote = payout.needsAttention && !payout.isFinal() && Boolean(input.note);
    if (payout.rail !== 'manual' && !decidesByNote) throw railNotManual(payout);
    const attempt = await newestAttempt(ctx, payout.id);
    const entry = {
      what: `marked ${outcome} by hand`,
      reason: input.note ?? null,
      ...(attempt ? { attempt: attempt.n } : {}),
    };
    attempt?.applyOutcome(outcome, ctx.clock.now());
    if (outcome === 'paid') await markCompleted(ctx, payout, entry);
    else if (payout.status === 'processing') await markFailed(ctx, payout, 'marked_failed', entry);
    else
      throw conflict('ILLEGAL_TRANSITION', `A ${payout.status} payout cannot be marked failed`, {
        from: payout.status,
        to: 'failed',
      });
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });

export const completePayout = (ctx: Context, input: MarkInput): Promise<Payout> => mark(ctx, input, 'paid');

export const failPayout = (ctx: Context, input: MarkInput): Promise<Payout> => mark(ctx, input, 'failed');

/** Possible until the first attempt exists; the row lock decides a race with the story. */
export const cancelPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (await newestAttempt(ctx, payout.id))
      throw conflict('ATTEMPT_STARTED', 'The payout has been started and cannot be cancelled', { status: payout.status });
    if (payout.status === 'failed')
      throw conflict('ILLEGAL_TRANSITION', 'A failed payout cannot be cancelled', { from: 'failed', to: 'failed' });
    await markFailed(ctx, payout, 'cancelled', { what: 'cancelled' });
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });
