import type { FaultClass } from '../faults.ts';
import { type AttemptOutcome, FAILURE_CODES, type FailureCode, type PayoutStatus, REVIEW_REASONS } from '../payouts.ts';
import { type AtProvider, beginsWith, claimByOf, faultClassOf, isCancelable, isPaidByPerson, type Rail } from '../rails.ts';
import type { Situation } from './situation.ts';

export const PAYOUT_STATES = [
  'to_approve',
  'queued',
  'sending',
  'to_pay',
  'to_put_into_file',
  'at_bank',
  'on_hold',
  'to_decide',
  'contradiction',
  'paid',
  'failed',
  'cancelled',
  'returned',
] as const;
export type PayoutStateName = (typeof PAYOUT_STATES)[number];

/** Why a payout may not be paid now. */
export const PAYOUT_HOLDS = [
  'run_paused',
  'unresolved_contradiction',
  'payments_held',
  'payee_held',
  'account_held',
  'account_missing',
] as const;
export type PayoutHold = (typeof PAYOUT_HOLDS)[number];

/** Codes that are states of their own. */
const STATES_OF_CODES = ['contradiction', 'cancelled', 'returned'] as const;
type CodeOfState = (typeof STATES_OF_CODES)[number];

type ReviewCode = Exclude<(typeof REVIEW_REASONS)[number], CodeOfState>;
type FailureReason = Exclude<FailureCode, CodeOfState>;

/**
 * `payment_started`: a person began to pay it. `outcome_unknown`: it was sent, and the provider has not said what became of it. `in_bank_file`:
 * the bank has not said anything about its file. `accepted_by_bank`: it has not said that it paid. `waiting_for_payee`: the provider waits until
 * its payee claims it. `cancel_requested`: the provider is asked to cancel it.
 */
const PROGRESS = [
  'payment_started',
  'outcome_unknown',
  'in_bank_file',
  'accepted_by_bank',
  'waiting_for_payee',
  'cancel_requested',
] as const;
export type PayoutReason = PayoutHold | ReviewCode | FailureReason | (typeof PROGRESS)[number];

const isReason = <Code extends string>(code: Code): code is Exclude<Code, CodeOfState> =>
  !(STATES_OF_CODES as readonly string[]).includes(code);

export const PAYOUT_REASONS: readonly PayoutReason[] = [
  ...PROGRESS,
  ...PAYOUT_HOLDS,
  ...REVIEW_REASONS.filter((code) => isReason(code)),
  ...FAILURE_CODES.filter((code) => isReason(code)),
];

export const PAYOUT_NEXT = [
  'approve',
  'start_payment',
  'record_payment',
  'make_bank_file',
  'import_bank_status',
  'resume_run',
  'resolve_other_payout',
  'resume_payments',
  'decide_on_payee',
  'check_account',
  'connect_account',
  'ask_provider',
  'wait_for_provider',
  'confirm_return',
  'resolve',
  'ask_for_details',
  'add_funds',
  'mend_account',
  'change_order',
  'ask_why',
  'unblock_affiliate',
  'resolve_hold',
  'pay_again',
] as const;
export type PayoutNext = (typeof PAYOUT_NEXT)[number];

export const PAYOUT_ACTIONS = [
  'approve',
  'cancel',
  'process',
  'read_instructions',
  'complete',
  'fail',
  'return',
  'resolve',
  'retry',
] as const;
export type PayoutAction = (typeof PAYOUT_ACTIONS)[number];

export type PayoutSituation = Situation<PayoutStateName, PayoutReason, PayoutNext, PayoutAction>;

/** What decides on the situation of a payout. Times are ISO 8601. */
export interface PayoutFacts {
  status: PayoutStatus;
  rail: Rail;
  needsAttention: boolean;
  /** Null unless `needsAttention`. */
  reviewReason: (typeof REVIEW_REASONS)[number] | null;
  awaitsApproval: boolean;
  /** The hold on a payout that is pending, or that a person began to pay. */
  onHold: PayoutHold | null;
  /** Outcome of the latest attempt; null before the first one. */
  attemptOutcome: AttemptOutcome | null;
  /** Where the provider has a payment that it accepted; null or absent for any other. */
  atProvider?: AtProvider | null;
  /** The provider's own code of the latest attempt. */
  railReason: string | null;
  failureCode: string | null;
  /** When a needed approval expires. */
  approveBy: string | null;
  /** Deadline for a person to decide about a payout that needs attention. */
  decideBy: string | null;
  /** Deadline for a payout that a person pays; null when nobody keeps count. */
  payBy?: string | null;
}

type Part = Pick<PayoutSituation, 'state' | 'actions'> & Partial<PayoutSituation>;
const situation = (part: Part): PayoutSituation => ({ reason: null, waitsFor: 'nobody', until: null, next: null, ...part });

const isFailureReason = (code: string | null): code is FailureReason =>
  (FAILURE_CODES as readonly (string | null)[]).includes(code) && !(STATES_OF_CODES as readonly (string | null)[]).includes(code);

const NEXT_OF_FAULT: Readonly<Record<FaultClass, PayoutNext>> = {
  payee: 'ask_for_details',
  account: 'mend_account',
  order: 'change_order',
  compliance: 'ask_why',
  provider: 'pay_again',
  unclear: 'ask_why',
};

/** The account lacks money, and nothing else. */
const NO_MONEY = new Set(['insufficient_funds', 'insufficient_balance', 'am04']);

/** Failure codes that no provider gave. */
const NEXT_OF_CODE: Readonly<Partial<Record<FailureCode, PayoutNext>>> = {
  invalid_details: 'ask_for_details',
  affiliate_blocked: 'unblock_affiliate',
  items_held: 'resolve_hold',
};

/** What has to be put right before a payout that failed is paid again. `railReason` is the provider's own code. */
export const nextAfterFailure = ({
  rail,
  railReason,
  failureCode,
}: Pick<PayoutFacts, 'rail' | 'railReason' | 'failureCode'>): PayoutNext => {
  const fault = railReason === null ? null : faultClassOf(rail, railReason);
  if (fault === 'account' && NO_MONEY.has(railReason?.toLowerCase() ?? '')) return 'add_funds';
  return (fault ? NEXT_OF_FAULT[fault] : NEXT_OF_CODE[failureCode as FailureCode]) ?? 'pay_again';
};

const failed = (payout: PayoutFacts): PayoutSituation => {
  const { failureCode: code } = payout;
  const actions = ['retry'] as const;
  if (code === 'cancelled') return situation({ state: 'cancelled', actions });
  const next = nextAfterFailure(payout);
  if (code === 'returned') return situation({ state: 'returned', next, actions });
  return situation({ state: 'failed', reason: isFailureReason(code) ? code : null, next, actions });
};

/** The provider may still pay what it accepted, so that nobody can mark it as failed. */
const isHeldByProvider = ({ attemptOutcome, reviewReason }: PayoutFacts): boolean =>
  attemptOutcome === 'accepted' && reviewReason !== 'accepted_too_long';

const review = (payout: PayoutFacts): PayoutSituation => {
  const { reviewReason, decideBy: until } = payout;
  if (reviewReason === 'contradiction')
    return situation({ state: 'contradiction', waitsFor: 'finance', until, next: 'resolve', actions: ['resolve'] });
  const open = { state: 'to_decide', reason: reviewReason, waitsFor: 'finance', until } as const;
  if (reviewReason === 'return_unconfirmed')
    return situation({ ...open, next: 'confirm_return', actions: ['return', 'resolve'] });
  if (isHeldByProvider(payout)) return situation({ ...open, next: 'wait_for_provider', actions: ['complete'] });
  return situation({ ...open, next: 'ask_provider', actions: ['complete', 'fail'] });
};

const NEXT_OF_HOLD: Readonly<Record<PayoutHold, PayoutNext>> = {
  run_paused: 'resume_run',
  unresolved_contradiction: 'resolve_other_payout',
  payments_held: 'resume_payments',
  payee_held: 'decide_on_payee',
  account_held: 'check_account',
  account_missing: 'connect_account',
};

const held = ({ status, onHold }: PayoutFacts): PayoutSituation =>
  situation({
    state: 'on_hold',
    reason: onHold,
    waitsFor: 'finance',
    next: onHold && NEXT_OF_HOLD[onHold],
    actions: status === 'pending' ? ['cancel'] : ['complete', 'fail'],
  });

const toPay = ({ status, needsAttention, decideBy, payBy = null }: PayoutFacts): PayoutSituation => {
  const isStarted = status === 'processing';
  const progress = isStarted ? 'payment_started' : null;
  return situation({
    state: 'to_pay',
    reason: needsAttention ? 'reminders_exhausted' : progress,
    waitsFor: 'finance',
    until: needsAttention ? decideBy : payBy,
    next: isStarted ? 'record_payment' : 'start_payment',
    actions: isStarted ? ['complete', 'fail'] : ['process', 'cancel'],
  });
};

/** A person makes the file, brings it to the bank, and gives what the bank says about it. */
const byBank = ({ status, attemptOutcome, needsAttention, decideBy, payBy = null }: PayoutFacts): PayoutSituation => {
  const until = needsAttention ? decideBy : payBy;
  if (status === 'pending')
    return situation({
      state: 'to_put_into_file',
      reason: needsAttention ? 'reminders_exhausted' : null,
      waitsFor: 'finance',
      until,
      next: 'make_bank_file',
      actions: ['cancel'],
    });
  const progress = attemptOutcome === 'accepted' ? 'accepted_by_bank' : 'in_bank_file';
  return situation({
    state: 'at_bank',
    reason: needsAttention ? 'reminders_exhausted' : progress,
    waitsFor: 'provider',
    until,
    next: 'import_bank_status',
    actions: needsAttention ? ['complete', 'fail'] : [],
  });
};

const sending = ({ rail, attemptOutcome, atProvider }: PayoutFacts): PayoutSituation => {
  const sent = situation({ state: 'sending', waitsFor: 'provider', actions: [] });
  if (attemptOutcome === 'unknown') return { ...sent, reason: 'outcome_unknown' };
  if (attemptOutcome !== 'accepted' || !atProvider) return sent;
  if (atProvider.isCancelRequested) return { ...sent, reason: 'cancel_requested' };
  const actions = isCancelable(rail, atProvider.state) ? (['cancel'] as const) : [];
  const until = claimByOf(rail, atProvider);
  return until === null ? { ...sent, actions } : { ...sent, reason: 'waiting_for_payee', waitsFor: 'payee', until, actions };
};

/** Nobody paid it in time. It still only has to be paid, unlike one whose outcome is in doubt. */
const isOverdue = ({ reviewReason }: PayoutFacts): boolean => reviewReason === 'reminders_exhausted';

export const payoutSituation = (payout: PayoutFacts): PayoutSituation => {
  if (payout.needsAttention && !isOverdue(payout)) return review(payout);
  if (payout.status === 'completed') return situation({ state: 'paid', actions: ['return'] });
  if (payout.status === 'failed') return failed(payout);
  if (payout.awaitsApproval) {
    const { approveBy: until } = payout;
    return situation({ state: 'to_approve', waitsFor: 'approver', until, next: 'approve', actions: ['approve', 'cancel'] });
  }
  if (payout.onHold !== null) return held(payout);
  if (isPaidByPerson(payout.rail)) return toPay(payout);
  if (beginsWith(payout.rail, 'file')) return byBank(payout);
  if (payout.status === 'pending') return situation({ state: 'queued', actions: ['cancel'] });
  return sending(payout);
};
