import type { AttemptOutcome, RailFact } from '../../../contracts/payouts.ts';
import type { Context } from '../../../platform/context.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import { startReturn } from '../payout-wake.ts';
import type { RailAnswer } from '../rails/rail.ts';
import { note } from '../timeline.ts';
import { completePayout, failPayout } from './change-status.ts';

export interface Fact {
  fact: RailFact;
  railReference: string | null;
  failureCode: string | null;
}

/** What the rail said, taken in through the table of legal moves; false when it is old news. Locks are the caller's. */
export const learnFact = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, told: Fact): Promise<boolean> => {
  // Money that came back was paid before, even where the notice of that is still on its way.
  if (told.fact === 'returned' && attempt.isOpen()) await learnFact(ctx, payout, attempt, { ...told, fact: 'paid' });
  if (told.fact === 'returned') return announceReturn(ctx, payout, attempt);
  if (!attempt.learn(told.fact, ctx.clock.now())) {
    if (contradict(attempt.outcome, told.fact)) await askAboutContradiction(ctx, payout, attempt);
    return false;
  }
  attempt.railReference = told.railReference ?? attempt.railReference ?? null;
  attempt.failureCode = told.failureCode;
  const happening = { attempt: attempt.n, railReference: attempt.railReference };
  if (told.fact === 'paid') await completePayout(ctx, payout, { what: 'paid by the rail', ...happening });
  if (told.fact === 'failed') {
    await failPayout(ctx, payout, 'rail_refused', { what: 'refused by the rail', reason: told.failureCode, ...happening });
  }
  return true;
};

/** Booked by a short story of its own, because this payout's story may be over. */
const announceReturn = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<boolean> => {
  if (attempt.outcome !== 'paid') return false;
  await startReturn(ctx, payout, attempt.id);
  return true;
};

const contradict = (known: AttemptOutcome, told: RailFact): boolean =>
  (known === 'failed' && told === 'paid') || (known === 'paid' && told === 'failed');

/** The rail said both that it paid and that it did not: nobody may guess which is true. */
const askAboutContradiction = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  payout.needsAttention = true;
  await note(ctx, payout, { what: 'the rail says paid and failed: a person has to look', attempt: attempt.n });
};

/** An answer to a send or a look-up. */
export const learnAnswer = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, answer: RailAnswer): Promise<void> => {
  attempt.request = answer.request;
  attempt.response = answer.response;
  if (answer.needsPerson && !payout.isFinal()) await askPerson(ctx, payout, attempt, answer.problem);
  if (answer.outcome === 'unknown') return;
  await learnFact(ctx, payout, attempt, {
    fact: answer.outcome,
    railReference: answer.railReference,
    failureCode: answer.failureCode,
  });
};

/** From here on a person may complete or fail the payout with a note. Asking twice changes nothing. */
export const askPerson = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, reason: string | null): Promise<void> => {
  if (payout.needsAttention) return;
  payout.needsAttention = true;
  payout.updatedAt = ctx.clock.now();
  await note(ctx, payout, { what: 'a person has to decide', attempt: attempt.n, reason });
};
