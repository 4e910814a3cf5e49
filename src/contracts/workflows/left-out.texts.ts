import type { LeftOutReason } from '../payout-runs.ts';

/** Why nobody is paid, on the page of a run. */
export const LEFT_OUT_TEXTS: Readonly<Record<LeftOutReason, string>> = {
  AFFILIATE_BLOCKED: 'the affiliate is blocked',
  AMOUNT_ROSE: 'more is payable than the draft shows: the next run pays it',
  BELOW_THRESHOLD: 'below the payout threshold',
  DETAILS_CHANGED: 'the payout details or the rail changed after the draft: the next run shows them',
  DETAILS_JUST_CHANGED: 'the payout details were changed a short time ago',
  DETAILS_REJECTED: 'the rail refused the payout details: the affiliate has to correct them',
  HELD_BY_DISPUTE: 'held by a dispute',
  HELD_BY_FLAG: 'held by a flag',
  NOTHING_PAYABLE: 'nothing is payable any more',
  PAYOUTS_PAUSED: 'payouts to the affiliate are paused',
  PAYOUT_DETAILS_MISSING: 'no payout details',
  PAYOUT_IN_FLIGHT: 'another payout is in progress',
  RAIL_CANNOT_PAY: 'the rail cannot pay it',
  RUN_CANCELLED: 'the run was cancelled before their turn',
  SAME_ACTOR: 'whoever approved the run had made what it would pay',
  TAKEN_OUT: 'taken out of the draft',
  UNRESOLVED_PAYOUT: 'another payout was reported both paid and failed: resolve it first',
};
