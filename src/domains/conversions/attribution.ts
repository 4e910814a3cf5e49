import type { AttributionMethod } from '../../contracts/conversions.ts';
import type { CommissionType } from '../../contracts/programs.ts';

/** An affiliate to credit with a sale, and how the sale was attributed. */
export interface Attribution {
  affiliateId: string;
  method: AttributionMethod;
}

export interface CustomerHistory {
  /** Number of earlier sales of this customer in this program. */
  sales: number;
  /** Of the customer's most recent attributed sale. */
  lastAttribution: Attribution | null;
  /** Time of the customer's first attributed sale. */
  firstAttributedAt: Date | null;
}

export interface AttributionRules {
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

/**
 * The affiliate to credit with a sale; null when there is none. An attribution of this sale takes precedence over the
 * customer's last one, which only recurring programs use.
 */
export const attributeSale = (
  rules: AttributionRules,
  direct: Attribution | null,
  history: CustomerHistory,
  occurredAt: Date,
): Attribution | null => {
  if (rules.commissionType === 'one_time') return history.sales === 0 ? direct : null;
  const attribution = direct ?? history.lastAttribution;
  if (!attribution || rules.commissionType === 'recurring' || history.firstAttributedAt === null) return attribution;
  const until = plusMonths(history.firstAttributedAt, rules.commissionLimitMonths ?? 12);
  return occurredAt < until ? attribution : null;
};
