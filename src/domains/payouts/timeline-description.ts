import type { PayoutTimelineType, RailOutcome } from '../../contracts/payouts.ts';

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

const REVIEW_REASONS: Readonly<Record<string, string>> = {
  accepted_before: 'the provider has no record of a transfer that it accepted',
  resends_exhausted: 'the provider has no record; automatic resends exhausted',
  repeat_window_over: 'the provider has no record, and it is too late to send again safely',
  reminders_exhausted: 'still unpaid after the last reminder',
  key_reused: 'the provider has another order under this key',
  record_differs: 'the provider has a different amount, currency or reference',
  status_unknown: 'the provider reports a status that is not supported',
};

const withReason = (text: string, reason: string | null): string => (reason === null ? text : `${text} (${reason})`);

const DESCRIPTIONS: Record<PayoutTimelineType, (entry: DescribedEntry) => string> = {
  created: ({ reason }) => (reason === 'retry' ? 'Payout created as a retry' : 'Payout created'),
  attempt_reserved: ({ attempt }) => `Attempt ${attempt} reserved`,
  attempt_sent: ({ attempt, outcome, reason }) =>
    withReason(`Attempt ${attempt} sent: ${OUTCOMES[outcome ?? 'unknown']}`, reason),
  status_checked: ({ attempt, outcome, reason }) =>
    withReason(`Status of attempt ${attempt} checked: ${OUTCOMES[outcome ?? 'unknown']}`, reason),
  rail_paid: () => 'Paid by the provider',
  rail_failed: ({ reason }) => withReason('Failed at the provider', reason),
  rail_unavailable: () => 'Failed: the rail is not available',
  returned: () => 'Payment returned by the provider',
  marked_paid: () => 'Marked as paid',
  marked_failed: () => 'Marked as failed',
  cancelled: () => 'Cancelled',
  cancellation_ignored: () => 'Cancellation of the workflow requested in Temporal and ignored: cancel the payout through the API',
  reminder_sent: ({ reminder }) => `Reminder ${reminder}: waiting to be paid`,
  manual_review_requested: ({ reason }) =>
    reason === null ? 'Manual review required' : `Manual review required: ${REVIEW_REASONS[reason] ?? reason}`,
  instructions_viewed: () => 'Payment instructions viewed',
  exported: () => 'Exported for payment',
  contradiction_detected: () => 'Manual review required: the provider reported both paid and failed',
};

/** For display only: the wording may change, so select by `type`. */
export const describeTimelineEntry = (entry: DescribedEntry): string => DESCRIPTIONS[entry.type](entry);
