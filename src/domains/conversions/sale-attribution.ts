import type { AttributionMethod, AttributionRule, UnattributedReason } from '../../contracts/conversions.ts';
import type { SaleAttribution } from './credit-sales.ts';

const OWN_EVIDENCE: readonly AttributionRule[] = ['coupon', 'click', 'referral_code', 'manual'];

/** Whether the sale itself leads to the affiliate, rather than what its customer did before. */
export const isOwnEvidence = (rule: AttributionRule): boolean => OWN_EVIDENCE.includes(rule);

/** The columns of a sale that say who is credited. */
export interface AttributionColumns {
  affiliateId: string | null;
  method: AttributionMethod | null;
  matchedAffiliateId: string | null;
  matchedMethod: AttributionMethod | null;
  attributedAt: Date | null;
  reason: UnattributedReason | null;
}

export const attributionColumns = ({ match, reason }: SaleAttribution): AttributionColumns => {
  const credited = reason === null ? match : null;
  return {
    affiliateId: credited?.affiliateId ?? null,
    method: credited?.method ?? null,
    matchedAffiliateId: match?.affiliateId ?? null,
    matchedMethod: match?.method ?? null,
    attributedAt: match && isOwnEvidence(match.rule) ? match.at : null,
    reason,
  };
};
