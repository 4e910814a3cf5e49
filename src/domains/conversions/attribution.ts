import type { AttributionMethod } from '../../contracts/conversions.ts';
import type { CommissionType } from '../../contracts/programs.ts';

/** Somebody who may be credited, and by which sign. */
export interface Claim {
  affiliateId: string;
  method: AttributionMethod;
}

export interface SaleHistory {
  /** Earlier sales of this customer in this program. */
  sales: number;
  /** The newest earlier sale that was credited, if any. */
  lastCredit: Claim | null;
  /** When the first credited sale of this customer happened. */
  firstCreditedAt: Date | null;
}

export interface Rules {
  commissionType: CommissionType;
  commissionLimitMonths: number | null;
}

const plusMonths = (from: Date, months: number): Date => {
  const to = new Date(from);
  const day = to.getUTCDate();
  to.setUTCMonth(to.getUTCMonth() + months);
  // 31 January plus one month is the end of February, not the third of March.
  if (to.getUTCDate() !== day) to.setUTCDate(0);
  return to;
};

/** Coupon, click and referral code come before the customer's earlier attribution, which only recurring programs know. */
export const attribute = (rules: Rules, direct: Claim | null, history: SaleHistory, occurredAt: Date): Claim | null => {
  if (rules.commissionType === 'one_time') return history.sales === 0 ? direct : null;
  const claim = direct ?? history.lastCredit;
  if (!claim || rules.commissionType === 'recurring' || history.firstCreditedAt === null) return claim;
  const until = plusMonths(history.firstCreditedAt, rules.commissionLimitMonths ?? 12);
  return occurredAt < until ? claim : null;
};
