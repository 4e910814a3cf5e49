import type { RailFact } from '../../../contracts/payouts.ts';
import type { Context } from '../../../platform/context.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import { startReturn } from '../payout-wake.ts';
import type { RailAnswer } from '../rails/rail.ts';
import { note, type StoryRun } from '../timeline.ts';
import { completePayout, failPayout } from './change-status.ts';

export interface Fact {
  fact: RailFact;
  railReference: string | null;
  failureCode: string | null;
}

/** What the rail said, taken in through the table of legal moves; false when it is old news. Locks are the caller's. */
export const learnFact = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, told: Fact, run?: StoryRun): Promise<boolean> => {
  // Money that came back was paid before, even where the notice of that is still on its way.
  if (told.fact === 'returned' && attempt.isOpen()) await learnFact(ctx, payout, attempt, { ...told, fact: 'paid' }, run);
  if (told.fact === 'returned') return announceReturn(ctx, payout, attempt);
  if (!attempt.learn(told.fact, ctx.clock.now())) {
    if (told.fact === 'paid' && attempt.outcome === 'failed') await contradicted(ctx, payout, attempt, run);
    return false;
  }
  attempt.railReference = told.railReference ?? attempt.railReference ?? null;
  attempt.failureCode = told.failureCode;
  const happening = { attempt: attempt.n, railReference: attempt.railReference };
  if (told.fact === 'paid') await completePayout(ctx, payout, { what: 'paid by the rail', ...happening }, run);
  if (told.fact === 'failed') {
    await failPayout(ctx, payout, 'rail_refused', { what: 'refused by the rail', reason: told.failureCode, ...happening }, run);
  }
  return true;
};

/** Booked by a short story of its own, because this payout's story may be over. */
const announceReturn = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<boolean> => {
  if (attempt.outcome !== 'paid') return false;
  await startReturn(ctx, payout, attempt.id);
  return true;
};

/** The rail first refused and now says it paid: nobody may guess which is true. */
const contradicted = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, run?: StoryRun): Promise<void> => {
  payout.needsAttention = true;
  await note(ctx, payout, { what: 'the rail says paid after it said failed: a person has to look', attempt: attempt.n }, run);
};

/** An answer to a send or a look-up. */
export const learnAnswer = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, answer: RailAnswer, run?: StoryRun): Promise<void> => {
  attempt.request = answer.request;
  attempt.response = answer.response;
  if (answer.needsPerson && !payout.isFinal()) await askPerson(ctx, payout, attempt, answer.problem, run);
  if (answer.outcome === 'unknown') return;
  await learnFact(ctx, payout, attempt, { fact: answer.outcome, railReference: answer.railReference, failureCode: answer.failureCode }, run);
};

/** From here on a person may complete or fail the payout with a note. Asking twice changes nothing. */
export const askPerson = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, reason: string | null, run?: StoryRun): Promise<void> => {
  if (payout.needsAttention) return;
  payout.needsAttention = true;
  payout.updatedAt = ctx.clock.now();
  await note(ctx, payout, { what: 'a person has to decide', attempt: attempt.n, reason }, run);
};
