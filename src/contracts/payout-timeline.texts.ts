import type { PayoutTimelineType, RailOutcome, ReviewReason } from './payouts.ts';

interface DescribedEntry {
  type: PayoutTimelineType;
  attempt: number | null;
  outcome: RailOutcome | null;
  reason: string | null;
  reminder: number | null;
}

const OUTCOMES: Record<RailOutcome, string> = {
  accepted: 'accepted by the provider',
  paid: 'paid',
  failed: 'failed',
  returned: 'returned',
  unknown: 'outcome unknown',
  never_received: 'the provider has no record',
};

/** Reason of a status check: only another send can tell what became of the order. */
export const CANNOT_BE_ASKED = 'cannot_be_asked';

/** Reason of a download: a program takes the file to the bank. */
export const OUTBOX = 'outbox';

/** Why a person has to decide. */
export const REVIEW_TEXTS: Readonly<Record<ReviewReason, string>> = {
  accepted_before: 'the provider has no record of a transfer that it accepted',
  accepted_too_long: 'the provider accepted the transfer and has not completed it in time',
  blocked: 'the provider has blocked the payment and may hold the money',
  contradiction: 'it was reported as paid and as failed',
  key_reused: 'the provider has another order under this key',
  record_mismatch: 'the provider has a different amount, currency or reference',
  reminders_exhausted: 'still unpaid after the last reminder',
  repeat_window_over: 'the provider has no record, and it is too late to send again safely',
  resend_blocked:
    'the provider has no record, and it is not sent again: since then the affiliate was blocked or paused, a commission was held, or the run was cancelled',
  never_sent: 'the provider reported a transfer that was never sent from here',
  resends_exhausted: 'the provider has no record',
  return_unconfirmed: 'a return was reported that the provider does not confirm',
  status_unknown: 'the provider reports a status that is not supported',
  unknown_too_long: 'the provider has not told the outcome in time',
};

const isReviewReason = (reason: string): reason is ReviewReason => Object.hasOwn(REVIEW_TEXTS, reason);

const withReason = (text: string, reason: string | null): string => (reason === null ? text : `${text} (${reason})`);

const CAUSES: ReadonlyMap<string | null, string> = new Map([
  ['retry', ' as a retry'],
  ['run', ' by a run'],
]);

const DETAILS: ReadonlyMap<string | null, string> = new Map([
  ['reference', 'Bank reference'],
  ['date', 'Date of the payment'],
  ['reference_and_date', 'Bank reference and date of the payment'],
]);

/** What banks say about a payee before a file is authorized. */
export const PAYEE_CHECKS: ReadonlyMap<string | null, string> = new Map([
  ['match', 'it matches the account'],
  ['close_match', 'it nearly matches the account'],
  ['no_match', 'it does not match the account'],
  ['not_applicable', 'the bank cannot compare it'],
  ['not_completed', 'not completed'],
  ['mismatches', 'there are mismatches'],
]);

const CANCELLATIONS: ReadonlyMap<string | null, string> = new Map([
  ['run_cancelled', ' with its run'],
  ['creator_gone', ': whoever created it may no longer pay'],
]);

const DESCRIPTIONS: Record<PayoutTimelineType, (entry: DescribedEntry) => string> = {
  created: ({ reason }) => `Payout created${CAUSES.get(reason) ?? ''}`,
  approval_requested: () => 'Waiting for the approval of a second actor',
  approval_reminder_sent: ({ reminder }) => `Reminder ${reminder}: waiting to be approved`,
  approved: ({ reason }) => (reason === 'run' ? 'Approved with the run' : 'Approved'),
  approval_expired: () => 'Failed: nobody approved it in time',
  attempt_reserved: ({ attempt }) => `Attempt ${attempt} reserved`,
  file_made: () => 'Put into a bank file',
  file_downloaded: ({ reason }) => (reason === OUTBOX ? 'Bank file put into the folder for the bank' : 'Bank file downloaded'),
  file_discarded: () => 'Failed: the bank file was discarded before a bank executed it',
  payee_checked: ({ reason }) => withReason("The bank compared the payee's name", PAYEE_CHECKS.get(reason) ?? reason),
  attempt_sent: ({ attempt, outcome, reason }) =>
    withReason(`Attempt ${attempt} sent: ${OUTCOMES[outcome ?? 'unknown']}`, reason),
  status_checked: ({ attempt, outcome, reason }) =>
    reason === CANNOT_BE_ASKED
      ? `Attempt ${attempt} was never confirmed, and the provider cannot be asked about such an order: the same order is sent again under the same key, and the provider refuses a second one`
      : withReason(`Status of attempt ${attempt} checked: ${OUTCOMES[outcome ?? 'unknown']}`, reason),
  send_dropped: ({ attempt }) => `Attempt ${attempt} was not sent: the process was suspended for too long`,
  rail_accepted: ({ reason }) => withReason('Accepted by the provider', reason),
  rail_paid: () => 'Paid by the provider',
  rail_failed: ({ reason }) => withReason('Failed at the provider', reason),
  returned: ({ reason }) => withReason('Payment returned by the provider', reason),
  affiliate_blocked: () => 'Failed: the affiliate is blocked',
  items_held: () => 'Failed: a commission is held by a dispute',
  marked_paid: () => 'Marked as paid',
  marked_failed: () => 'Marked as failed',
  return_reported: () => 'A person reported that the money came back',
  return_withdrawn: () => 'The money did not come back',
  marked_returned: () => 'Marked as returned',
  payment_details_added: ({ reason }) => `${DETAILS.get(reason) ?? 'Details of the payment'} added`,
  cancelled: ({ reason }) => `Cancelled${CANCELLATIONS.get(reason) ?? ''}`,
  cancellation_requested: () => 'The provider is asked to cancel the payment',
  cancellation_refused: () => 'The provider did not cancel the payment',
  cancellation_ignored: () => 'Cancellation of the workflow requested in Temporal and ignored: cancel the payout through the API',
  workflow_terminated: () => 'A run of the workflow was terminated in Temporal',
  workflow_superseded: () => 'A run that was reset or copied in Temporal ended: another one shows the payout',
  reminder_sent: ({ reminder }) => `Reminder ${reminder}: waiting to be paid`,
  instructions_viewed: () => 'Payment instructions viewed',
  exported: () => 'Exported for payment',
  manual_review_requested: ({ reason }) =>
    reason === null
      ? 'Manual review required'
      : `Manual review required: ${isReviewReason(reason) ? REVIEW_TEXTS[reason] : reason}`,
  manual_review_ended: () => 'Manual review ended: the provider has accepted the transfer',
  contradiction_detected: ({ outcome, reason }) =>
    withReason(
      `Manual review required: the provider now reports ${outcome ?? 'another outcome'}, which contradicts the record`,
      reason,
    ),
  contradiction_resolved: ({ reason }) => (reason === 'paid' ? 'Resolved as paid' : 'Resolved as not paid'),
};

/** For display only: the wording may change, so select entries by `type`. */
export const describeTimelineEntry = (entry: DescribedEntry): string => DESCRIPTIONS[entry.type](entry);
