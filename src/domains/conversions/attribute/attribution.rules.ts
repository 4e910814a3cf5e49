import type { AffiliateStatus } from '../../../contracts/affiliates.ts';
import type { AttributionMethod, AttributionRule, EvidenceResult, UnattributedReason } from '../../../contracts/conversions.ts';
import type { CommissionType } from '../../../contracts/programs.ts';
import { after, wholeSecond } from '../../../platform/clock.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';

/** The affiliate that a sale points to, and how. A match is credited only if `unattributedReason` finds nothing against it. */
export interface Attribution {
  affiliateId: string;
  method: AttributionMethod;
  rule: AttributionRule;
  /** Time since which the customer counts as attributed to the affiliate. */
  at: Date;
  clickId?: string | undefined;
  linkId?: string | undefined;
  couponId?: string | undefined;
  /** The coupon's code, or the referral code of the affiliate or link. */
  code?: string | undefined;
  identificationId?: string | undefined;
  /** The earlier sale that this one follows. */
  saleId?: string | undefined;
}

/** Evidence that a sale came with and that did not decide. */
export interface UnusedEvidence {
  rule: AttributionRule;
  value: string;
  result: EvidenceResult;
}

/** The form that is stored with the sale: times are ISO 8601. */
export interface AttributionRecord {
  rule: AttributionRule | null;
  attributedAt: string | null;
  clickId: string | null;
  linkId: string | null;
  couponId: string | null;
  code: string | null;
  identificationId: string | null;
  saleId: string | null;
  /** Text of the person who decided, and their key. */
  note: string | null;
  decidedBy: string | null;
  decidedAt: string;
  unused: UnusedEvidence[];
  /** Members of the event that could not be used. Absent in records of earlier versions. */
  unusable?: UnusableMember[];
}

/** Earlier sales and sign-ups of a customer in a program, in the order in which they occurred. */
export interface CustomerHistory {
  hasEarlierSale: boolean;
  /** Match of the most recent sale of the same subscription if there is one, else of the customer's most recent evidence. */
  lastMatch: Attribution | null;
  /** Time of the customer's first sale with a match. */
  firstMatchedAt: Date | null;
  /** Whether late evidence could attribute other sales of the customer. */
  hasUnmatchedSales: boolean;
}

export interface AttributionRules {
  commissionType: CommissionType;
  commissionLimitMonths: number | null;
}

export interface Membership {
  status: AffiliateStatus;
  isErased: boolean;
  joinedAt: Date;
}

const plusMonths = (from: Date, months: number): Date => {
  const to = new Date(from);
  const day = to.getUTCDate();
  to.setUTCMonth(to.getUTCMonth() + months);
  // 31 January plus one month is the end of February, not the third of March.
  if (to.getUTCDate() !== day) to.setUTCDate(0);
  return to;
};

/** End of the commissions of a customer whose first payment occurred at `first`; null without a limit. */
export const limitOf = (rules: AttributionRules, first: Date): Date | null =>
  rules.commissionType === 'recurring_limited' ? plusMonths(first, rules.commissionLimitMonths ?? 12) : null;

/** Whether a click counts for a sale or sign-up: it came first, and within the duration of the cookie. */
export const isInWindow = (clickedAt: Date, occurredAt: Date, cookieMs: number): boolean =>
  wholeSecond(clickedAt) <= occurredAt && occurredAt <= after(clickedAt, cookieMs);

/** Evidence from before the affiliate joined attributes no sale. */
export const isBeforeJoining = (at: Date, { joinedAt }: Pick<Membership, 'joinedAt'>): boolean => at < wholeSecond(joinedAt);

/** Why a sale with a match is not credited; null when it is. */
export const unattributedReason = (
  rules: AttributionRules,
  occurredAt: Date,
  history: Pick<CustomerHistory, 'hasEarlierSale' | 'firstMatchedAt'>,
  member: Membership,
): UnattributedReason | null => {
  if (member.isErased) return 'AFFILIATE_ERASED';
  if (member.status === 'blocked') return 'AFFILIATE_BLOCKED';
  if (rules.commissionType === 'one_time' && history.hasEarlierSale) return 'NOT_FIRST_PAYMENT';
  const until = history.firstMatchedAt && limitOf(rules, history.firstMatchedAt);
  return until && occurredAt >= until ? 'LIMIT_REACHED' : null;
};
