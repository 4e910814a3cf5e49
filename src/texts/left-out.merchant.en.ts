import type { LeftOutReason } from '../contracts/payout-runs.ts';

/** Why an affiliate is not paid, and what would change it. Clauses. */
export const leftOutForMerchant: Readonly<Record<LeftOutReason, string>> = {
  AFFILIATE_BLOCKED: 'the affiliate is blocked',
  AMOUNT_ROSE: 'more is payable than the draft shows: the next payout run pays it',
  BELOW_THRESHOLD: 'below the minimum payout',
  DETAILS_CHANGED: 'payout details changed since the draft: the next payout run pays them',
  DETAILS_JUST_CHANGED: 'payout details changed a short time ago',
  DETAILS_REJECTED: 'payout details were refused: the affiliate has to correct or confirm them',
  HELD_BY_DISPUTE: 'on hold because of a dispute',
  HELD_BY_FLAG: 'on hold because of a fraud review that needs your decision',
  NOTHING_PAYABLE: 'nothing is payable anymore',
  PAYOUTS_PAUSED: 'payouts to the affiliate are paused',
  PAYOUT_DETAILS_MISSING: "the affiliate hasn't entered payout details",
  PAYOUT_IN_FLIGHT: 'another payout to the affiliate is in progress',
  RAIL_CANNOT_PAY: "the payment provider can't pay this currency, country, amount or account",
  RUN_CANCELLED: 'the payout run was cancelled first',
  SAME_ACTOR:
    'whoever approved the payout run had entered the account, the sale, the bonus or the percent: someone else has to pay it in the next one',
  TAKEN_OUT: 'removed from the draft',
  UNRESOLVED_PAYOUT: 'another payout to the affiliate has to be resolved first',
};
