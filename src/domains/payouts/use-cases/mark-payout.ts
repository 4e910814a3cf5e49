import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import type { Payout } from '../payout.entity.ts';
import { lockOwnPayout, newestAttempt } from '../payout-state.queries.ts';
import { wakeStory } from '../payout-wake.ts';
import { completePayout, failPayout } from './change-status.ts';
import { openAttempt } from './start-attempt.ts';

export interface MarkInput {
  id: string;
  note?: string | undefined;
}

const railDecides = (payout: Payout) =>
  conflict('RAIL_DECIDES', `The ${payout.rail} rail decides on this payout`, {
    rail: payout.rail,
    needsAttention: payout.needsAttention,
  });

/** Manual rail: somebody begins to pay. */
export const processPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (payout.rail !== 'manual') throw railDecides(payout);
    if (payout.status === 'pending') await openAttempt(ctx, payout);
    else payout.moveTo('processing', ctx.clock.now());
    await wakeStory(ctx, payout);
    return payout;
  });

/** Manual rail, or a payout that waits for a person and is decided with a note. */
const mark = (ctx: Context, input: MarkInput, outcome: 'paid' | 'failed'): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    const decidesByNote = payout.needsAttention && !payout.isFinal() && Boolean(input.note);
    if (payout.rail !== 'manual' && !decidesByNote) throw railDecides(payout);
    const attempt = await newestAttempt(ctx, payout.id);
    const happening = {
      what: `marked ${outcome} by hand`,
      reason: input.note ?? null,
      ...(attempt ? { attempt: attempt.n } : {}),
    };
    attempt?.learn(outcome, ctx.clock.now());
    if (outcome === 'paid') await completePayout(ctx, payout, happening);
    else if (payout.status === 'processing') await failPayout(ctx, payout, 'marked_failed', happening);
    else
      throw conflict('ILLEGAL_TRANSITION', `A ${payout.status} payout cannot be marked failed`, {
        from: payout.status,
        to: 'failed',
      });
    await wakeStory(ctx, payout);
    return payout;
  });

export const completeByHand = (ctx: Context, input: MarkInput): Promise<Payout> => mark(ctx, input, 'paid');

export const failByHand = (ctx: Context, input: MarkInput): Promise<Payout> => mark(ctx, input, 'failed');

/** Possible until the first attempt exists; the row lock decides a race with the story. */
export const cancelPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (await newestAttempt(ctx, payout.id))
      throw conflict('ATTEMPT_STARTED', 'The payout has been started and cannot be cancelled', { status: payout.status });
    if (payout.status === 'failed')
      throw conflict('ILLEGAL_TRANSITION', 'A failed payout cannot be cancelled', { from: 'failed', to: 'failed' });
    await failPayout(ctx, payout, 'cancelled', { what: 'cancelled' });
    await wakeStory(ctx, payout);
    return payout;
  });
