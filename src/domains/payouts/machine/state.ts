import type {
  AttemptOutcome,
  CorrectionCause,
  FailureCode,
  PayoutStatus,
  RailStatus,
  ReviewReason,
} from '../../../contracts/payouts.ts';

/** Everything that decides what may happen to a payout, as plain data: no entity, no clock, no id. Read under the payout's lock. */
export interface PayoutState {
  status: PayoutStatus;
  /** Null unless it failed. */
  failureCode: FailureCode | null;
  /** Who knows how the payment ended. `bank`: by files, which people carry, so that nobody can be asked. */
  confirmedBy: 'person' | 'provider' | 'bank';
  approval: 'not_required' | 'waiting' | 'given';
  /** What stands against the first attempt of a pending payout, and against sending an order again. */
  hold: Hold | null;
  /** Null until the payment begins. */
  attempt: AttemptState | null;
  /** Why a person has to decide. */
  review: ReviewReason | null;
  /** An unresolved report that cannot be true together with what is recorded. The review says `contradiction`. */
  contradiction: Contradiction | null;
  /** The attempt's money is said to have come back, and nothing is booked yet. */
  returnReport: ReturnReport | null;
  /** Another payout was created for what this one did not pay. */
  isRetried: boolean;
}

/** The first three end a pending payout, the others keep it waiting. */
export const HOLDS = [
  'affiliate_blocked',
  'items_held',
  'run_cancelled',
  'unresolved_contradiction',
  'run_paused',
  'payments_held',
  'payee_held',
] as const;
export type Hold = (typeof HOLDS)[number];

/** One payment under one idempotency key. */
export interface AttemptState {
  outcome: AttemptOutcome;
  /** Sends under the same key. Zero on a manual rail, in a bank file, and where the provider reported the transfer before anything was sent. */
  sends: number;
  /** The provider once said that it has the order. */
  wasAccepted: boolean;
  /** The provider said that the money came back, and it is not booked. */
  isReturnReported: boolean;
  /** A notice disagrees with the order, so only the provider's record may decide. */
  isLookUpRequested: boolean;
  /** The provider cancels it where it is now, when it is asked to. */
  isCancelable: boolean;
  /** A person asked for that, and the provider has not decided. */
  isCancelRequested: boolean;
}

export interface Contradiction {
  recorded: 'paid' | 'failed' | 'returned';
  reported: Exclude<RailStatus, 'returned'>;
}

export interface ReturnReport {
  cause: CorrectionCause;
}

export const isFinal = ({ status }: Pick<PayoutState, 'status'>): boolean => status === 'completed' || status === 'failed';

/** The provider may know more than the record. */
export const isOpen = ({ outcome }: Pick<AttemptState, 'outcome'>): boolean => outcome === 'unknown' || outcome === 'accepted';

export const isAwaitingApproval = ({ status, approval }: Pick<PayoutState, 'status' | 'approval'>): boolean =>
  status === 'pending' && approval === 'waiting';

/** Pending until a person acts, so the workflow has to look whether it may still be paid. */
export const isAtPerson = (state: Pick<PayoutState, 'status' | 'approval' | 'confirmedBy'>): boolean =>
  state.status === 'pending' && (state.confirmedBy !== 'provider' || isAwaitingApproval(state));

/** The account of the ledger that holds the payout's money. */
export const moneyIn = ({ status }: Pick<PayoutState, 'status'>): 'in_payout' | 'paid' | 'payable' => {
  if (status === 'completed') return 'paid';
  return status === 'failed' ? 'payable' : 'in_payout';
};
