import type { AffiliateStatus } from '../../../contracts/affiliates.ts';

/* Why nobody is paid, for a single payout and for a list of them. In the order in which an affiliate is told. */

interface Standing {
  affiliateStatus: AffiliateStatus;
  payoutsPaused: boolean;
  unresolved: string | null;
  inFlight: string | null;
}

export const standingRefusalOf = ({ affiliateStatus, payoutsPaused, unresolved, inFlight }: Standing) => {
  if (affiliateStatus === 'blocked') return 'AFFILIATE_BLOCKED';
  if (payoutsPaused) return 'PAYOUTS_PAUSED';
  if (unresolved) return 'UNRESOLVED_PAYOUT';
  return inFlight ? 'PAYOUT_IN_FLIGHT' : null;
};

interface Payable {
  /** Sum of the items of the payout, in minor units. */
  payable: number;
  /** Sum of all items that are not held. */
  unheld: number;
  threshold: number;
}

/**
 * A payout has a limited number of items, so what reaches the threshold is all that is payable: many small commissions would never reach
 * it by parts.
 */
export const amountRefusalOf = ({ payable, unheld, threshold }: Payable) => {
  if (payable <= 0) return 'NOTHING_PAYABLE';
  return payable < threshold && unheld < threshold ? 'BELOW_THRESHOLD' : null;
};
