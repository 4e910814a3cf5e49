import { canTransitionAttempt, type ReviewReason } from '../../../contracts/payouts.ts';
import { andDo, andThen, become, beforeIt, type Change, STALE, toCompleted, toFailed, toReview, UNCHANGED } from './change.ts';
import { contradict } from './contradictions.ts';
import type { ProviderReport } from './inputs.ts';
import { requestReturn } from './returns.ts';
import { type AttemptState, type Hold, isFinal, isOpen, type PayoutState } from './state.ts';

/* What the provider says, and its silence. */

/** Under the same key, unless something came up against the payment since it was first sent. */
export const resend = (state: PayoutState, arePayoutsPaused: boolean): Change => {
  const { attempt, hold } = state;
  // What only the provider reported was never sent from here.
  if (attempt?.outcome !== 'unknown' || attempt.sends === 0 || state.review !== null) return UNCHANGED;
  if (hold !== null && KEEPS_WAITING.has(hold)) return UNCHANGED;
  if (hold !== null || arePayoutsPaused) return review(state, 'resend_blocked');
  return become({ ...state, attempt: { ...attempt, sends: attempt.sends + 1 } }, { do: 'send' });
};

/** Once it ends, the order is sent again. */
const KEEPS_WAITING: ReadonlySet<Hold> = new Set(['run_paused', 'unresolved_contradiction', 'payments_held', 'payee_held']);

/** The provider answered, so nobody has to ask it for what a notice left open. */
export const lookedUp = (state: PayoutState): Change =>
  state.attempt?.isLookUpRequested ? become({ ...state, attempt: { ...state.attempt, isLookUpRequested: false } }) : UNCHANGED;

/**
 * The first of several reasons stays, except that the provider's silence replaces any: only that lets a person fail what the provider
 * accepted. A payout that has ended is reviewed for a return only.
 */
export const review = (state: PayoutState, reason: ReviewReason): Change => {
  if (!state.attempt) return UNCHANGED;
  if (state.review === reason || (state.review !== null && reason !== 'accepted_too_long')) return UNCHANGED;
  const isMeant = reason === 'return_unconfirmed' ? isFinal(state) && state.returnReport !== null : !isFinal(state);
  return isMeant ? toReview(state, reason) : UNCHANGED;
};

/** A status that agrees with the order. */
export const report = (state: PayoutState, said: ProviderReport): Change => {
  const { attempt } = state;
  const { status } = said;
  if (!attempt) return STALE;
  if (status === 'returned') return reportReturn(state, attempt, said);
  if (!canTransitionAttempt(attempt.outcome, status)) return contradict(state, attempt, said);
  const wasAccepted = attempt.wasAccepted || status === 'accepted';
  const isCancelRequested = attempt.isCancelRequested && status === 'accepted';
  const known: PayoutState = { ...state, attempt: { ...attempt, outcome: status, wasAccepted, isCancelRequested } };
  if (status === 'accepted') return beforeIt(accept(known), { do: 'take_references', from: 'report' });
  return beforeIt(status === 'paid' ? toCompleted(known, 'rail_paid') : failAtProvider(known, attempt, said), {
    do: 'take_references',
    from: 'report',
  });
};

/** What the provider stopped because it was asked to blames nobody. */
const failAtProvider = (state: PayoutState, { isCancelRequested }: AttemptState, { failedBy }: ProviderReport): Change => {
  if (isCancelRequested) return toFailed(state, 'cancelled', 'cancelled');
  const code = failedBy === undefined ? 'rail_rejected' : CODES[failedBy];
  return andDo(state, toFailed(state, code, 'rail_failed'), { do: 'count_refusal' });
};

const CODES = { account: 'account_refused', payee: 'not_claimed' } as const;

/** The provider has the order, so nobody has to decide any more. */
const accept = (state: PayoutState): Change => {
  const accepted = become(state, { do: 'record', entry: 'rail_accepted' });
  if (state.review === null || isFinal(state)) return accepted;
  return andThen(state, accepted, (next) => become({ ...next, review: null }, { do: 'record', entry: 'manual_review_ended' }));
};

/** Returned money was paid before, even when nobody said so yet. Of what is recorded as failed nothing is booked. */
const reportReturn = (state: PayoutState, attempt: AttemptState, said: ProviderReport): Change => {
  if (isOpen(attempt))
    return andThen(state, report(state, { ...said, status: 'paid' }), (paid) =>
      paid.attempt ? reportReturn(paid, paid.attempt, said) : STALE,
    );
  const { outcome, isReturnReported: isKnown } = attempt;
  if (outcome !== 'paid' && outcome !== 'failed') return STALE;
  const noted = become(
    { ...state, attempt: { ...attempt, isReturnReported: true } },
    { do: 'take_references', from: 'reported_return' },
  );
  return outcome === 'paid' ? andThen(state, noted, (next) => requestReturn(next, !isKnown)) : noted;
};

/** A notice that disagrees with the order decides nothing: the provider is asked, and nothing is booked before. */
export const notice = (state: PayoutState, { agrees, ...said }: ProviderReport & { agrees: boolean }): Change => {
  const { attempt } = state;
  if (!attempt) return STALE;
  const isBooked = isOpen(attempt) || said.status === 'returned';
  if (!isBooked || agrees) return report(state, said);
  if (isOpen(attempt)) return hint(state);
  return attempt.outcome === 'paid' ? { ...requestReturn(state, false), isStale: true } : STALE;
};

/** Only the provider's record says what happened. Once the payment has ended, nobody is asked. */
export const hint = (state: PayoutState): Change => {
  const { attempt } = state;
  if (!attempt || !isOpen(attempt)) return STALE;
  return { ...become({ ...state, attempt: { ...attempt, isLookUpRequested: true } }), isStale: true };
};
