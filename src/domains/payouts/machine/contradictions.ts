import type { Resolution } from '../../../contracts/payouts.ts';
import {
  ATTENTION,
  andDo,
  andThen,
  become,
  beforeIt,
  type Change,
  type Decision,
  STALE,
  toFailed,
  toPaidAfterAll,
  UNCHANGED,
} from './change.ts';
import type { Effect } from './effects.ts';
import type { ProviderReport } from './inputs.ts';
import { requestReturn, withdrawReturn } from './returns.ts';
import type { AttemptState, PayoutState } from './state.ts';

/* Reports that cannot be true together with what is recorded. */

/** Whether a report cannot be true together with what is recorded. */
/** A person said that it was not paid. */
const isDecidedHere = (failureCode: PayoutState['failureCode']): boolean =>
  failureCode === 'marked_failed' || failureCode === 'file_discarded';

const contradicts = (
  { failureCode }: Pick<PayoutState, 'failureCode'>,
  { outcome, wasAccepted }: AttemptState,
  { status, deniesEvidence }: ProviderReport,
): boolean => {
  if (outcome === 'paid') return status === 'failed';
  // It was paid before it came back, which is news only if a person's evidence alone proves the return.
  if (outcome === 'returned') return status === 'paid' && deniesEvidence;
  if (outcome !== 'failed') return false;
  // A person recorded that nothing was paid, and only then does the provider say that it has the order.
  return status === 'paid' || (status === 'accepted' && isDecidedHere(failureCode) && !wasAccepted);
};

/**
 * Books nothing: a person has to find out what is true. While one is open, a further report changes nothing, except "paid" after
 * "accepted": whoever resolves it must know that the money was sent.
 */
export const contradict = (state: PayoutState, attempt: AttemptState, said: ProviderReport): Change => {
  const { contradiction: open } = state;
  const recorded = attempt.outcome;
  const reported = said.status;
  const detected: Effect = { do: 'record', entry: 'contradiction_detected' };
  if (reported === 'returned' || !contradicts(state, attempt, said)) return STALE;
  if (recorded !== 'paid' && recorded !== 'failed' && recorded !== 'returned') return STALE;
  if (open !== null) {
    if (open.reported !== 'accepted' || reported !== 'paid') return STALE;
    const raised: PayoutState = { ...state, contradiction: { ...open, reported } };
    return { ...become(raised, { do: 'raise_contradiction' }, detected), isStale: true };
  }
  const opened: PayoutState = { ...state, review: 'contradiction', contradiction: { recorded, reported } };
  // Other payouts of the affiliate are on hold from now on.
  const pending: Effect = { do: 'signal', workflow: 'pending_payouts' };
  return { ...become(opened, { do: 'open_contradiction' }, pending, detected, ATTENTION), isStale: true };
};

export const resolve = (state: PayoutState, outcome: Resolution): Decision => {
  const { attempt, contradiction } = state;
  if (!attempt || !contradiction) return withdrawReturn(state, outcome);
  const from = state.status === 'completed' ? 'completed' : 'failed';
  // What was paid and came back is booked already, whatever was true before.
  const isBooked = attempt.outcome === 'returned' && contradiction.recorded !== 'returned';
  const isRecorded = outcome === (from === 'completed' ? 'paid' : 'not_paid');
  const resolved =
    isBooked || isRecorded
      ? become({ ...state, review: null }, { do: 'record', entry: 'contradiction_resolved' })
      : correct(state, attempt, outcome, from);
  const closed = andThen(state, resolved, (next) =>
    // Payouts that were on hold may begin now.
    become({ ...next, contradiction: null }, { do: 'close_contradiction' }, { do: 'signal', workflow: 'pending_payouts' }),
  );
  return andThen(state, andThen(state, closed, requestReportedReturn), settleReturnReport);
};

const correct = (state: PayoutState, attempt: AttemptState, outcome: Resolution, from: 'completed' | 'failed'): Change => {
  const found: PayoutState = { ...state, attempt: { ...attempt, outcome: outcome === 'paid' ? 'paid' : 'failed' } };
  const corrected =
    outcome === 'paid'
      ? toPaidAfterAll(found)
      : beforeIt(toFailed(found, 'resolved_not_paid', 'contradiction_resolved'), { do: 'take_references', from: 'resolution' });
  return andDo(state, corrected, { do: 'book_resolution', from });
};

/** The provider reported the return while the payout was recorded as failed. */
const requestReportedReturn = (state: PayoutState): Change =>
  state.attempt?.outcome === 'paid' && state.attempt.isReturnReported ? requestReturn(state, false) : UNCHANGED;

/** A return that was reported before the contradiction and is not confirmed. Of a payout that was never paid there is none. */
const settleReturnReport = (state: PayoutState): Change => {
  const { returnReport, attempt } = state;
  if (!returnReport || (returnReport.cause === 'rail_return' && attempt?.isReturnReported)) return UNCHANGED;
  if (attempt?.outcome === 'paid')
    return become({ ...state, review: 'return_unconfirmed' }, { do: 'tell_return', news: 'changed' }, ATTENTION);
  return become(
    { ...state, returnReport: null },
    { do: 'close_return', as: 'withdrawn' },
    { do: 'tell_return', news: 'changed' },
  );
};
