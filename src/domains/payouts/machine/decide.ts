import { canTransition } from '../../../contracts/payouts.ts';
import {
  andDo,
  andThen,
  become,
  beforeIt,
  type Change,
  type Decision,
  illegal,
  isRefusal,
  type Refusal,
  refuse,
  SIGNAL,
  toCompleted,
  toFailed,
  toProcessing,
  toReview,
  UNCHANGED,
  withOutcome,
} from './change.ts';
import { resolve } from './contradictions.ts';
import type { Input } from './inputs.ts';
import { hint, lookedUp, notice, report, resend, review } from './reports.ts';
import { bookReportedReturn, returnMoney } from './returns.ts';
import { type AttemptState, isAtPerson, isAwaitingApproval, isFinal, type PayoutState } from './state.ts';

/** The rules of a payout. Pure: the same state and input give the same decision. */
export const decide = (state: PayoutState, input: Input): Decision => {
  switch (input.type) {
    case 'approve':
      return approve(state);
    case 'process':
      return process(state);
    case 'put_into_file':
      return putIntoFile(state, input.isReported);
    case 'complete':
      return complete(state, input.hasNote);
    case 'fail':
      return fail(state, input.hasNote);
    case 'read_instructions':
      return readInstructions(state, input.isRunPaused);
    case 'cancel':
      return cancel(state);
    case 'return':
      return returnMoney(state, input.hasEvidence);
    case 'resolve':
      return resolve(state, input.outcome);
    case 'retry':
      return retry(state);
    case 'check':
      return isAtPerson(state) ? stop(state) : UNCHANGED;
    case 'start':
      return start(state, input.isReported);
    case 'file_discarded':
      return discardFile(state);
    case 'withdraw':
      return withdraw(state, input.because);
    case 'approval_reminder':
      return remindOfApproval(state, input);
    case 'reminder':
      return remind(state, input);
    case 'resend':
      return resend(state, input.arePayoutsPaused);
    case 'looked_up':
      return lookedUp(state);
    case 'cancel_refused':
      return cancelRefused(state);
    case 'review':
      return review(state, input.reason);
    case 'book_return':
      return bookReportedReturn(state);
    case 'answer':
      return report(state, input);
    case 'notice':
      return notice(state, input);
    case 'hint':
      return hint(state);
  }
};

const NEW_ATTEMPT: AttemptState = {
  outcome: 'created',
  sends: 0,
  wasAccepted: false,
  isReturnReported: false,
  isLookUpRequested: false,
  isCancelable: false,
  isCancelRequested: false,
};

const isStopped = ({ hold }: PayoutState): boolean =>
  hold === 'affiliate_blocked' || hold === 'items_held' || hold === 'run_cancelled';

/** Ends a pending payout that must not be paid any more. */
const stop = (state: PayoutState): Change => {
  const { hold } = state;
  if (hold === 'affiliate_blocked' || hold === 'items_held') return toFailed(state, hold, hold);
  return hold === 'run_cancelled' ? toFailed(state, 'cancelled', 'cancelled', hold) : UNCHANGED;
};

const approve = (state: PayoutState): Decision => {
  if (state.approval === 'not_required') return refuse('APPROVAL_NOT_REQUIRED', 'Nobody has to approve this payout');
  if (isAwaitingApproval(state)) return become({ ...state, approval: 'given' }, { do: 'record', entry: 'approved' }, SIGNAL);
  const why = state.approval === 'given' ? 'was approved' : `is ${state.status}`;
  return refuse('ALREADY_DECIDED', `The payout ${why} already`);
};

const PAID_BY_PROVIDER = refuse('RAIL_NOT_MANUAL', 'This payout is paid by a provider, not manually');
export const RUN_PAUSED = refuse('RUN_PAUSED', 'The run of the payout is paused; resume it first');

const process = (state: PayoutState): Decision => {
  if (state.confirmedBy !== 'person') return PAID_BY_PROVIDER;
  return begin(state, NEW_ATTEMPT);
};

/**
 * The bank may execute the file from now on, so the outcome is unknown until it says something. What it has paid already comes into no
 * file: a person decides.
 */
const putIntoFile = (state: PayoutState, isReported: boolean): Decision => {
  if (state.confirmedBy !== 'bank') return refuse('RAIL_NOT_FILE', 'This payout is not paid by a bank file');
  const begun = begin(state, { ...NEW_ATTEMPT, outcome: 'unknown' });
  if (!isReported || isRefusal(begun)) return begun;
  return andThen(state, begun, (next) => (next.status === 'processing' ? toReview(next, 'never_sent') : UNCHANGED));
};

/** A person begins a payment, unless something came up that ends it. */
const begin = (state: PayoutState, attempt: AttemptState): Decision => {
  if (state.status !== 'pending') return illegal(state.status, 'processing');
  if (isStopped(state)) return andDo(state, stop(state), SIGNAL);
  if (isAwaitingApproval(state)) return refuse('APPROVAL_REQUIRED', 'A second actor has to approve the payout first');
  if (state.hold === 'run_paused') return RUN_PAUSED;
  if (state.hold === 'unresolved_contradiction')
    return refuse('UNRESOLVED_PAYOUT', 'Another payout to this affiliate was reported as paid and as failed; resolve it first');
  if (state.hold === 'payments_held')
    return refuse('PAYMENTS_HELD', 'All payments are on hold: the books have to be compared with the providers first');
  if (state.hold === 'payee_held')
    return refuse('PAYEE_HELD', 'The provider lists a payment to this payee that the books do not have; decide on it first');
  return andDo(state, toProcessing(state, attempt), SIGNAL);
};

/** What the bank accepted it may still pay. What has ended stays as it is. */
const discardFile = (state: PayoutState): Decision => {
  if (state.attempt?.outcome === 'accepted')
    return refuse('RAIL_ACCEPTED', 'The bank has accepted the payment and may still pay it');
  if (state.status !== 'processing' || state.attempt?.outcome !== 'unknown') return UNCHANGED;
  const failed = { ...state, attempt: withOutcome(state.attempt, 'failed') };
  return andDo(state, toFailed(failed, 'file_discarded', 'file_discarded'), SIGNAL);
};

/** Not before somebody started to pay, because until then it can be cancelled, and not of one that failed: its money is payable again. */
const readInstructions = (state: PayoutState, isRunPaused: boolean): Decision => {
  const { status } = state;
  if (state.confirmedBy !== 'person') return PAID_BY_PROVIDER;
  if (status !== 'processing' && status !== 'completed')
    return refuse('NOT_PROCESSING', `There are no payment instructions for a ${status} payout`);
  return isRunPaused && status === 'processing' ? RUN_PAUSED : become(state, { do: 'record', entry: 'instructions_viewed' });
};

/** The first order to a provider. It is stored as sent before it is: after a crash its outcome is unknown, never "not sent". */
const start = (state: PayoutState, isReported: boolean): Change => {
  if (state.status !== 'pending') return UNCHANGED;
  if (isStopped(state)) return stop(state);
  if (state.hold !== null || isAwaitingApproval(state)) return UNCHANGED;
  if (!isReported) return toProcessing(state, { ...NEW_ATTEMPT, outcome: 'unknown', sends: 1 }, { do: 'send' });
  // The provider may know the transfer longer than it remembers the key, so nothing is sent.
  return toProcessing(state, { ...NEW_ATTEMPT, outcome: 'unknown' });
};

const cancel = (state: PayoutState): Decision => {
  if (state.attempt) return cancelAtProvider(state, state.attempt);
  if (state.status === 'failed') return illegal('failed', 'failed', 'A failed payout cannot be cancelled');
  return andDo(state, toFailed(state, 'cancelled', 'cancelled'), SIGNAL);
};

/** What was sent is never cancelled here: the workflow asks the provider, whose answer counts. */
const cancelAtProvider = (state: PayoutState, attempt: AttemptState): Decision => {
  if (isFinal(state) || attempt.outcome !== 'accepted' || !attempt.isCancelable)
    return refuse('ATTEMPT_STARTED', 'The payment has already started, so the payout cannot be cancelled');
  if (attempt.isCancelRequested) return UNCHANGED;
  const asked = { ...attempt, isCancelRequested: true, isLookUpRequested: true };
  return become({ ...state, attempt: asked }, { do: 'record', entry: 'cancellation_requested' }, SIGNAL);
};

/** Somebody may ask again. */
const cancelRefused = (state: PayoutState): Change =>
  state.attempt?.isCancelRequested && !isFinal(state)
    ? become(
        { ...state, attempt: { ...state.attempt, isCancelRequested: false } },
        { do: 'record', entry: 'cancellation_refused' },
      )
    : UNCHANGED;

const withdraw = (state: PayoutState, because: 'run_cancelled' | 'creator_gone'): Change => {
  const isMeant = because === 'creator_gone' ? isAwaitingApproval(state) : state.status === 'pending';
  return isMeant ? andDo(state, toFailed(state, 'cancelled', 'cancelled', because), SIGNAL) : UNCHANGED;
};

interface Reminder {
  isLast: boolean;
  isRecorded: boolean;
}

const remindOfApproval = (state: PayoutState, { isLast, isRecorded }: Reminder): Change => {
  if (!isAwaitingApproval(state)) return UNCHANGED;
  if (isLast) return toFailed(state, 'approval_expired', 'approval_expired');
  return isRecorded ? UNCHANGED : become(state, { do: 'ask_for_approval' });
};

const remind = (state: PayoutState, { isLast, isRecorded }: Reminder): Change => {
  if (isFinal(state) || isRecorded) return UNCHANGED;
  return isLast
    ? toReview(state, 'reminders_exhausted')
    : become(state, { do: 'record', entry: 'reminder_sent' }, { do: 'remind' });
};

/** A person decides on a provider's payout only while it needs one, with a note that says how they know. */
const refuseOverride = (state: PayoutState, hasNote: boolean): Refusal | null => {
  if (state.confirmedBy === 'person' || (state.review !== null && !isFinal(state) && hasNote)) return null;
  return refuse(
    'RAIL_NOT_MANUAL',
    isFinal(state)
      ? `The provider has settled this payout: it is ${state.status}`
      : 'The payout is being settled by the provider; only payouts with needsAttention can be overridden, and a note is required',
  );
};

const UNPROCESSED = 'A pending payout cannot become completed: POST /payouts/{id}/process marks it as in progress first';

const complete = (state: PayoutState, hasNote: boolean): Decision => {
  const refusal = refuseOverride(state, hasNote);
  if (refusal) return refusal;
  const { status, confirmedBy } = state;
  if (!canTransition(status, 'completed'))
    return illegal(status, 'completed', status === 'pending' && confirmedBy === 'person' ? UNPROCESSED : undefined);
  const paid = { ...state, attempt: withOutcome(state.attempt, 'paid') };
  return andDo(state, beforeIt(toCompleted(paid, 'marked_paid'), { do: 'take_references', from: 'person' }), SIGNAL);
};

/** After the provider's silence a person may decide even what it accepted; its later word is a contradiction then. */
const isHeldByProvider = (state: PayoutState): boolean =>
  !isFinal(state) && state.attempt?.outcome === 'accepted' && state.review !== 'accepted_too_long';

const fail = (state: PayoutState, hasNote: boolean): Decision => {
  const { status } = state;
  // A late click must not make money payable again that was paid.
  if (status === 'completed')
    return refuse('ALREADY_COMPLETED', 'The payout is completed; POST /payouts/{id}/return records that the money came back');
  if (isHeldByProvider(state)) return refuse('RAIL_ACCEPTED', 'The provider has accepted the payout and may still pay it');
  const refusal = refuseOverride(state, hasNote);
  if (refusal) return refusal;
  if (status !== 'processing') {
    const instead = status === 'pending' ? ': POST /payouts/{id}/cancel withdraws it' : '';
    return illegal(status, 'failed', `A ${status} payout cannot be marked as failed${instead}`);
  }
  const failed = toFailed({ ...state, attempt: withOutcome(state.attempt, 'failed') }, 'marked_failed', 'marked_failed');
  return andDo(state, beforeIt(failed, { do: 'take_references', from: 'person' }), SIGNAL);
};

const retry = (state: PayoutState): Decision => {
  if (state.status !== 'failed') return refuse('NOT_FAILED', 'Only a failed payout can be retried');
  if (state.isRetried) return refuse('ALREADY_RETRIED', 'The payout has already been retried');
  return become(state, { do: 'create_retry' });
};
