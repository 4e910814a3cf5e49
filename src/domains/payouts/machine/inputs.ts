import type { RailStatus, Resolution, ReviewReason } from '../../../contracts/payouts.ts';

/** What people do. Each is an operation of the API and a button of the console. */
export type PersonInput =
  | { type: 'approve' }
  /** Somebody starts to pay it. */
  | { type: 'process' }
  /** Somebody makes a file for the bank, which has this payment too. `isReported`: the bank has booked one under its key before. */
  | { type: 'put_into_file'; isReported: boolean }
  | { type: 'complete'; hasNote: boolean }
  | { type: 'fail'; hasNote: boolean }
  /** Sees where to pay. `isRunPaused`: nothing of such a run is paid, also what somebody began to pay before. */
  | { type: 'read_instructions'; isRunPaused: boolean }
  | { type: 'cancel' }
  /** The money of a completed payout came back. */
  | { type: 'return'; hasEvidence: boolean }
  /** Says what is true about a payout that was reported as paid and as failed. `paid` also withdraws an unconfirmed return. */
  | { type: 'resolve'; outcome: Resolution }
  | { type: 'retry' };

/** What the workflow, the run and the time do. */
export type SystemInput =
  /** Whether something came up that ends a payout whose payment has not begun. */
  | { type: 'check' }
  /** The first attempt at a provider. `isReported`: the provider reported a transfer under its key before, as after a restored backup. */
  | { type: 'start'; isReported: boolean }
  /** No bank ever executes the file of the payment. */
  | { type: 'file_discarded' }
  /** The run was cancelled, or whoever created the payout lost their access before it was approved. */
  | { type: 'withdraw'; because: 'run_cancelled' | 'creator_gone' }
  | { type: 'approval_reminder'; isLast: boolean; isRecorded: boolean }
  /** A manual payout is still unpaid. */
  | { type: 'reminder'; isLast: boolean; isRecorded: boolean }
  /** The provider never received the order, and its key may be used again. `arePayoutsPaused`: those of the affiliate. */
  | { type: 'resend'; arePayoutsPaused: boolean }
  /** The provider answered a look-up, whatever it said. */
  | { type: 'looked_up' }
  /** The provider was asked to cancel the payment, and still has it. */
  | { type: 'cancel_refused' }
  /** The provider is silent, contradicts the order, or may not be asked again. */
  | { type: 'review'; reason: ReviewReason }
  /** A return that the provider confirmed is booked, or dropped when the payment never was. */
  | { type: 'book_return' };

/** What the provider says. */
export type ProviderInput =
  /** In the answer to a send or a look-up. */
  | ({ type: 'answer' } & ProviderReport)
  /** In a notification. `agrees`: its record and references are those of the order. */
  | ({ type: 'notice'; agrees: boolean } & ProviderReport)
  /** In a notification that only says that something happened. */
  | { type: 'hint' };

export interface ProviderReport {
  status: RailStatus;
  /** It denies a return that only a person's evidence proved: it is newer than that. */
  deniesEvidence: boolean;
  /** What a failure was due to, where the provider did not refuse the order itself. */
  failedBy?: 'account' | 'payee' | undefined;
}

export type Input = PersonInput | SystemInput | ProviderInput;
