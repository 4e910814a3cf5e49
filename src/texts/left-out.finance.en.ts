import type { LeftOutReason } from '../contracts/payout-runs.ts';

/** Why a run does not pay an affiliate. Clauses. */
export const leftOutForFinance: Readonly<Record<LeftOutReason, string>> = {
  AFFILIATE_BLOCKED: 'the affiliate is blocked',
  AMOUNT_ROSE: 'more is payable than the draft shows: the next run pays it',
  BELOW_THRESHOLD: 'below the minimum payout',
  DETAILS_CHANGED: 'the payout details or the provider changed after the draft: the next run shows them',
  DETAILS_JUST_CHANGED: 'the payout details changed a short time ago',
  DETAILS_REJECTED: 'the provider refused the payout details: the affiliate has to correct or confirm them',
  HELD_BY_DISPUTE: 'on hold because of a dispute',
  HELD_BY_FLAG: 'on hold because of a fraud review',
  NOTHING_PAYABLE: 'nothing is payable anymore',
  PAYOUTS_PAUSED: 'payouts to the affiliate are paused',
  PAYOUT_DETAILS_MISSING: 'no payout details',
  PAYOUT_IN_FLIGHT: 'another payout is in progress',
  RAIL_CANNOT_PAY: "the provider can't pay this currency, country, amount or account",
  RUN_CANCELLED: 'the run was cancelled before their turn',
  SAME_ACTOR: 'whoever approved the run had entered what it would pay',
  TAKEN_OUT: 'removed from the draft',
  UNRESOLVED_PAYOUT: 'another payout was reported both paid and failed: resolve it first',
};
