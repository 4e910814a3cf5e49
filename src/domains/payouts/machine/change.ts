import type { Reason } from '../../../contracts/error-codes.ts';
import {
  type AttemptOutcome,
  canTransitionAttempt,
  type FailureCode,
  type PayoutStatus,
  type PayoutTimelineType,
  type ReviewReason,
} from '../../../contracts/payouts.ts';
import type { Effect } from './effects.ts';
import { type AttemptState, moneyIn, type PayoutState } from './state.ts';

/** The payout becomes `next`, then the effects happen in their order: events show the payout as it is at that moment. */
export interface Step {
  next: PayoutState;
  effects: readonly Effect[];
}

/** What becomes of the payout. An input that changes nothing has no steps. */
export interface Change {
  steps: readonly Step[];
  /** The report books nothing by itself. */
  isStale?: true;
}

/** Why the API answers 409. Nothing is changed. */
export interface Refusal {
  refused: Reason;
  message: string;
  /** Set when the transition is illegal. */
  transition?: { from: PayoutStatus; to: PayoutStatus };
}

export type Decision = Change | Refusal;

export const isRefusal = (decision: Decision): decision is Refusal => 'refused' in decision;

/** What the payout is after the decision. */
export const stateAfter = (state: PayoutState, decision: Decision): PayoutState =>
  isRefusal(decision) ? state : (decision.steps.at(-1)?.next ?? state);

export const UNCHANGED: Change = { steps: [] };
export const STALE: Change = { steps: [], isStale: true };
export const SIGNAL: Effect = { do: 'signal', workflow: 'payout' };
export const ATTENTION: Effect = { do: 'emit', event: 'payout.needs_attention' };

export const become = (next: PayoutState, ...effects: readonly Effect[]): Change => ({ steps: [{ next, effects }] });

export const refuse = (refused: Reason, message: string): Refusal => ({ refused, message });

export const illegal = (from: PayoutStatus, to: PayoutStatus, message = `A ${from} payout cannot become ${to}`): Refusal => ({
  refused: 'ILLEGAL_TRANSITION',
  message,
  transition: { from, to },
});

/** Adds effects before those of the first step. */
export const beforeIt = (change: Change, ...effects: readonly Effect[]): Change => ({
  ...change,
  steps: change.steps.map((step, at) => (at === 0 ? { ...step, effects: [...effects, ...step.effects] } : step)),
});

/** Goes on from the state after a change. */
export const andThen = (state: PayoutState, change: Change, go: (state: PayoutState) => Change): Change => ({
  ...change,
  steps: [...change.steps, ...go(stateAfter(state, change)).steps],
});

export const andDo = (state: PayoutState, change: Change, ...effects: readonly Effect[]): Change =>
  andThen(state, change, (next) => become(next, ...effects));

/** A word of a person does not overrule an outcome that is final. */
export const withOutcome = (attempt: AttemptState | null, outcome: AttemptOutcome): AttemptState | null =>
  attempt && canTransitionAttempt(attempt.outcome, outcome) ? { ...attempt, outcome } : attempt;

/** The end of a payout ends its review. Only a resolution ends that of a contradiction. */
const reviewAtEnd = ({ review }: PayoutState): ReviewReason | null => (review === 'contradiction' ? review : null);

export const toCompleted = (state: PayoutState, entry: PayoutTimelineType): Change =>
  become(
    { ...state, status: 'completed', review: reviewAtEnd(state) },
    { do: 'record', entry, isTransition: true },
    { do: 'emit', event: 'payout.completed' },
    { do: 'post', kind: 'payout_completed', from: 'in_payout', to: 'paid' },
  );

/** The money becomes payable again, and the items go to the next payout. */
export const toFailed = (state: PayoutState, failureCode: FailureCode, entry: PayoutTimelineType, reason?: string): Change => {
  const resolves = entry === 'contradiction_resolved';
  const from = moneyIn(state) === 'paid' ? 'paid' : 'in_payout';
  const kind = resolves ? 'payout_resolved_not_paid' : 'payout_returned';
  const effects: Effect[] = [
    { do: 'record', entry, isTransition: true, ...(reason === undefined ? {} : { reason }) },
    { do: 'emit', event: 'payout.failed', ...(resolves ? { isResolved: true } : {}) },
    { do: 'post', kind: from === 'paid' ? kind : 'payout_failed', from, to: 'payable', items: 'return' },
  ];
  // While it was paid, there was nothing to hold.
  if (from === 'paid') effects.push({ do: 'resume_holds' });
  return become({ ...state, status: 'failed', failureCode, review: resolves ? null : reviewAtEnd(state) }, ...effects);
};

export const toProcessing = (state: PayoutState, attempt: AttemptState, ...first: readonly Effect[]): Change =>
  become(
    { ...state, status: 'processing', attempt },
    ...first,
    { do: 'record', entry: 'attempt_reserved', isTransition: true },
    { do: 'emit', event: 'payout.processing' },
  );

/** A failed payout was paid. */
export const toPaidAfterAll = (state: PayoutState): Change =>
  become(
    { ...state, status: 'completed', failureCode: null, review: null },
    { do: 'take_references', from: 'resolution' },
    { do: 'record', entry: 'contradiction_resolved', isTransition: true },
    { do: 'emit', event: 'payout.completed', isResolved: true },
    { do: 'withdraw_refusal' },
    { do: 'post', kind: 'payout_resolved_paid', from: 'payable', to: 'paid', items: 'reserve' },
  );

/** A person has to decide from now on. */
export const toReview = (state: PayoutState, reason: ReviewReason): Change =>
  become({ ...state, review: reason }, { do: 'record', entry: 'manual_review_requested', reason }, ATTENTION);
