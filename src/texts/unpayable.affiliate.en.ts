import type { UnpayableReason } from '../contracts/payout-runs.ts';

/** Why nothing would be paid now. Sentences; the one of `DETAILS_JUST_CHANGED` is followed by a date. */
export const unpayableForAffiliate: Readonly<Record<UnpayableReason, string>> = {
  AFFILIATE_BLOCKED: 'Your membership is blocked. Ask the company why.',
  BELOW_THRESHOLD: 'Less than the minimum payout is payable.',
  DETAILS_JUST_CHANGED: 'Your payout details were changed. Nothing is paid before',
  DETAILS_REJECTED: 'The payment provider refused your payout details. Correct them, or confirm that they are right.',
  HELD_BY_DISPUTE: 'A customer disputes a payment. The commission is on hold until that is decided.',
  HELD_BY_FLAG: 'The company is reviewing some of your sales. Their commissions are on hold.',
  NOTHING_PAYABLE: 'Nothing is payable yet.',
  PAYOUTS_PAUSED: 'The company has paused your payouts. Ask it why.',
  PAYOUT_DETAILS_MISSING: "You haven't entered where you want to be paid.",
  PAYOUT_IN_FLIGHT: 'Another payout is in progress. The rest follows after it.',
  RAIL_CANNOT_PAY: "The payment provider can't pay this amount to your payout details.",
  UNRESOLVED_PAYOUT: 'The company has to find out what became of an earlier payout.',
};
