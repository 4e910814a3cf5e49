import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import type { AttributionMethod, UnattributedReason } from '../../contracts/conversions.ts';
import type { CommissionType } from '../../contracts/programs.ts';
import { SECOND_MS } from '../../platform/clock.ts';

/** The affiliate that a sale points to, and how. A match is credited only if `unattributedReason` finds nothing against it. */
export interface Attribution {
  affiliateId: string;
  method: AttributionMethod;
}

/** Earlier sales of a customer in a program, in the order in which they occurred. */
export interface CustomerHistory {
  hasEarlierSale: boolean;
  /** Of the most recent earlier sale with a match: of the same subscription if there is one, else of the customer. */
  lastMatch: Attribution | null;
  /** Time of the customer's first sale with a match. */
  firstMatchedAt: Date | null;
}

export interface AttributionRules {
  commissionType: CommissionType;
  commissionLimitMonths: number | null;
}

export interface Membership {
  status: AffiliateStatus;
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

/** A match of the sale itself takes precedence over the customer's last one, which only recurring programs use. */
export const matchOf = (rules: AttributionRules, direct: Attribution | null, history: CustomerHistory): Attribution | null =>
  rules.commissionType === 'one_time' ? direct : (direct ?? history.lastMatch);

/** Payment systems send whole seconds, so a sale in the second of the joining counts as after it. */
const isBeforeJoining = (occurredAt: Date, { joinedAt }: Membership): boolean =>
  occurredAt.getTime() < Math.floor(joinedAt.getTime() / SECOND_MS) * SECOND_MS;

/** Why a sale with a match is not credited; null when it is. */
export const unattributedReason = (
  rules: AttributionRules,
  occurredAt: Date,
  history: CustomerHistory,
  member: Membership,
): UnattributedReason | null => {
  if (isBeforeJoining(occurredAt, member)) return 'BEFORE_AFFILIATE_JOINED';
  if (member.status === 'blocked') return 'AFFILIATE_BLOCKED';
  if (rules.commissionType === 'one_time' && history.hasEarlierSale) return 'NOT_FIRST_PAYMENT';
  if (rules.commissionType !== 'recurring_limited' || history.firstMatchedAt === null) return null;
  const until = plusMonths(history.firstMatchedAt, rules.commissionLimitMonths ?? 12);
  return occurredAt < until ? null : 'LIMIT_REACHED';
};
