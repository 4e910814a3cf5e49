import type { Resolution } from '../../../contracts/payouts.ts';
import { andDo, andThen, become, beforeIt, type Change, type Decision, illegal, refuse, toFailed, UNCHANGED } from './change.ts';
import type { PayoutState } from './state.ts';

/* Money that comes back after it was paid. */

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
  // Whoever reads the statement of a bank needs no other evidence.
  const isProven = state.confirmedBy !== 'provider' || hasEvidence;
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
export const withdrawReturn = (state: PayoutState, outcome: Resolution): Decision => {
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
