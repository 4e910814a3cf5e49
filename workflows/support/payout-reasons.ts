import type { ReviewReason } from '../../src/contracts/payouts.ts';
import type { PayoutSnapshot } from '../../src/contracts/workflows.ts';
import { countOf } from './count-of.ts';

type Reasons = Readonly<Record<string, string>>;

const FAILURES: Reasons = {
  cancelled: 'cancelled before anything was sent',
  marked_failed: 'marked as failed by a person',
  rail_rejected: 'rejected by the provider',
  invalid_details: 'the payout details are invalid',
  returned: 'the payment was returned',
  no_rail: 'the rail is not available',
  affiliate_blocked: 'the affiliate was blocked',
  resolved_not_paid: 'a person found out that it was not paid',
  items_held: 'a commission was held by a flag or a dispute',
};

const REVIEWS: Readonly<Record<ReviewReason, string>> = {
  accepted_before: 'provider has no record of a transfer that it accepted',
  resends_exhausted: 'provider has no record',
  repeat_window_over: 'provider has no record, and it is too late to send again safely',
  reminders_exhausted: 'still unpaid after the last reminder',
  accepted_too_long: 'provider accepted the transfer and has not completed it in time',
  unknown_too_long: 'provider has not told the outcome in time',
  contradiction: 'provider reported it both paid and failed',
  key_reused: 'provider has another order under this key',
  record_mismatch: 'provider has a different amount, currency or reference',
  status_unknown: 'provider reports a status that is not supported',
};

/** Codes are an open set: an unknown one is shown as it is. */
const textOf = (reasons: Reasons, code: string): string => reasons[code] ?? code.replaceAll('_', ' ');

const sends = (count: number): string => (count === 0 ? '' : ` after ${countOf(count, 'send')}`);

export const failureReason = ({ failureCode, railReason }: PayoutSnapshot): string => {
  const text = textOf(FAILURES, failureCode ?? 'unknown');
  return railReason === null ? text : `${text} (${railReason})`;
};

export const reviewReason = ({ reviewReason: code, sendCount }: PayoutSnapshot): string => {
  if (code === null) return 'the outcome cannot be determined automatically';
  return code === 'resends_exhausted' ? textOf(REVIEWS, code) + sends(sendCount) : textOf(REVIEWS, code);
};
