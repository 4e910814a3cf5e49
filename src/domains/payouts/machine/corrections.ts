import type { Resolution } from '../../../contracts/payouts.ts';
import {
  ATTENTION,
  andDo,
  andThen,
  become,
  beforeIt,
  type Change,
  type Decision,
  illegal,
  refuse,
  STALE,
  toFailed,
  toPaidAfterAll,
  UNCHANGED,
} from './change.ts';
import type { Effect } from './effects.ts';
import type { ProviderReport } from './inputs.ts';
import type { AttemptState, PayoutState } from './state.ts';

/* What changes a payout after it ended: reports that contradict the record, and money that comes back. */

/** Whether a report cannot be true together with what is recorded. */
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
  return status === 'paid' || (status === 'accepted' && failureCode === 'marked_failed' && !wasAccepted);
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

export const returnMoney = (state: PayoutState, hasEvidence: boolean): Decision => {
  const { status, attempt, returnReport } = state;
  if (status !== 'completed' || !attempt) return illegal(status, 'failed', `A ${status} payout cannot come back`);
  if (state.review === 'contradiction')
    return refuse('UNRESOLVED_PAYOUT', 'The payout was reported as paid and as failed; resolve it first');
  if (returnReport && (attempt.isReturnReported || !hasEvidence))
    return refuse('RETURN_REPORTED', 'This return is reported already');
  const reported = returnReport
    ? become(state, { do: 'add_evidence_to_return' })
    : become({ ...state, returnReport: { cause: 'reported_return' } }, { do: 'open_return', cause: 'reported_return' });
  const isProven = state.confirmedBy === 'person' || hasEvidence;
  const booked = isProven
    ? andThen(state, reported, bookReturn)
    : andDo(state, reported, { do: 'record', entry: 'return_reported' });
  return andDo(state, booked, { do: 'tell_return', news: returnReport ? 'changed' : 'new' });
};

/** The money of a paid attempt becomes payable again. */
const bookReturn = (state: PayoutState): Change => {
  const { attempt } = state;
  if (attempt?.outcome !== 'paid') return UNCHANGED;
  const returned: PayoutState = { ...state, attempt: { ...attempt, outcome: 'returned', isReturnReported: false } };
  const failed = toFailed(returned, 'returned', attempt.isReturnReported ? 'returned' : 'marked_returned');
  return andThen(state, beforeIt(failed, { do: 'take_references', from: 'correction' }), (next) =>
    become({ ...next, returnReport: null }, { do: 'emit', event: 'payout.returned' }, { do: 'close_return', as: 'booked' }),
  );
};

/** A workflow books the return once for all reports, and asks the provider first while it has not confirmed it. */
export const requestReturn = (state: PayoutState, isConfirmed: boolean): Change => {
  const { returnReport: open } = state;
  if (!open)
    return become(
      { ...state, returnReport: { cause: 'rail_return' } },
      { do: 'open_return', cause: 'rail_return' },
      { do: 'tell_return', news: 'new' },
    );
  return isConfirmed || open.cause === 'reported_return' ? become(state, { do: 'tell_return', news: 'changed' }) : UNCHANGED;
};

/** A return of a payout that is recorded as never paid is not booked. */
export const bookReportedReturn = (state: PayoutState): Change => {
  const { attempt, returnReport } = state;
  if (!returnReport || !attempt) return UNCHANGED;
  if (attempt.outcome !== 'paid') return become({ ...state, returnReport: null }, { do: 'close_return', as: 'withdrawn' });
  return attempt.isReturnReported ? bookReturn(state) : UNCHANGED;
};

/** A person says that the money did not come back, which the provider does not confirm either. */
const withdrawReturn = (state: PayoutState, outcome: Resolution): Decision => {
  const { attempt, returnReport } = state;
  // What the provider confirms is about to be booked.
  if (outcome !== 'paid' || !returnReport || !attempt || attempt.isReturnReported)
    return refuse('NOTHING_TO_RESOLVE', 'This payout has no open contradiction');
  return become(
    { ...state, returnReport: null, review: null },
    { do: 'close_return', as: 'withdrawn' },
    { do: 'record', entry: 'return_withdrawn' },
    { do: 'tell_return', news: 'changed' },
  );
};
