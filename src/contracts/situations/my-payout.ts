import { faultClassOf, type Rail } from '../rails.ts';
import type { PayoutSituation, PayoutStateName } from './payout.ts';

/** `under_review`: the company has to find out or to decide something. What and why is between it and the provider. */
export const MY_PAYOUT_STATES = [
  'to_approve',
  'queued',
  'sending',
  'to_pay',
  'on_hold',
  'under_review',
  'paid',
  'failed',
  'cancelled',
  'returned',
] as const;
export type MyPayoutState = (typeof MY_PAYOUT_STATES)[number];

/** Reasons that an affiliate may know. */
export const MY_PAYOUT_REASONS = [
  'payment_started',
  'waiting_for_payee',
  'unresolved_contradiction',
  'marked_failed',
  'rail_rejected',
  'account_refused',
  'not_claimed',
  'invalid_details',
  'no_rail',
  'affiliate_blocked',
  'items_held',
  'resolved_not_paid',
  'approval_expired',
  'file_discarded',
] as const;
export type MyPayoutReason = (typeof MY_PAYOUT_REASONS)[number];

export const MY_PAYOUT_NEXT = ['check_details', 'contact_company', 'claim_payment'] as const;
export type MyPayoutNext = (typeof MY_PAYOUT_NEXT)[number];

/** A payout as its affiliate sees it. */
export interface MyPayoutSituation {
  state: MyPayoutState;
  reason: MyPayoutReason | null;
  /** What the affiliate does next; null when they have nothing to do. */
  next: MyPayoutNext | null;
}

type Known = Pick<PayoutSituation, 'state' | 'reason' | 'next'>;

const isShown = (reason: Known['reason']): reason is MyPayoutReason =>
  (MY_PAYOUT_REASONS as readonly (string | null)[]).includes(reason);

const stateOf = (state: PayoutStateName): MyPayoutState => {
  if (state === 'to_put_into_file') return 'queued';
  if (state === 'at_bank') return 'sending';
  return state === 'to_decide' || state === 'contradiction' ? 'under_review' : state;
};

/** Failures that other payout details would not have prevented. */
const OF_THE_COMPANY: readonly Known['reason'][] = ['approval_expired', 'no_rail', 'file_discarded'];

interface Failure {
  rail: Rail;
  /** The provider's own code. */
  railReason: string | null;
}

/** Better details help nothing where the fault is certainly another's. */
const isOfOthers = ({ rail, railReason }: Failure): boolean => {
  const fault = railReason === null ? null : faultClassOf(rail, railReason);
  return fault !== null && fault !== 'payee' && fault !== 'unclear';
};

const nextOf = ({ next, reason }: Known, failure: Failure): MyPayoutNext | null => {
  if (next === 'unblock_affiliate') return 'contact_company';
  if (reason === 'waiting_for_payee') return 'claim_payment';
  const isAboutDetails =
    next === 'ask_for_details' || next === 'ask_why' || (next === 'pay_again' && !OF_THE_COMPANY.includes(reason));
  return isAboutDetails && !isOfOthers(failure) ? 'check_details' : null;
};

export const situationForAffiliate = (situation: Known, failure: Failure): MyPayoutSituation => ({
  state: stateOf(situation.state),
  reason: isShown(situation.reason) ? situation.reason : null,
  next: nextOf(situation, failure),
});
