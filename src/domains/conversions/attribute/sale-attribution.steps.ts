import type { AttributionMethod, AttributionRule, UnattributedReason } from '../../../contracts/conversions.ts';
import { actorName, type Context } from '../../../platform/context.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import type { Attribution, AttributionRecord, UnusedEvidence } from './attribution.rules.ts';

export interface SaleAttribution {
  /** The affiliate that the sale points to, credited or not: later payments of the customer follow it. */
  match: Attribution | null;
  /** Null when the match is credited. */
  reason: UnattributedReason | null;
}

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

/** What came with the event and did not decide. */
export interface Undecided {
  unused: readonly UnusedEvidence[];
  unusable: readonly UnusableMember[];
}

/** What is stored about a decision, for the merchant to read later. */
export const recordOf = (
  ctx: Context,
  match: Attribution | null,
  { unused, unusable }: Undecided,
  note: string | null = null,
): AttributionRecord => ({
  rule: match?.rule ?? null,
  attributedAt: match?.at.toISOString() ?? null,
  clickId: match?.clickId ?? null,
  linkId: match?.linkId ?? null,
  couponId: match?.couponId ?? null,
  code: match?.code ?? null,
  identificationId: match?.identificationId ?? null,
  saleId: match?.saleId ?? null,
  note,
  decidedBy: match?.rule === 'manual' ? actorName(ctx.actor) : null,
  decidedAt: ctx.clock.now().toISOString(),
  unused: [...unused],
  unusable: [...unusable],
});

/** Reads it from a sale that is attributed again. */
export const undecidedOf = ({ evidence }: { evidence?: AttributionRecord | null | undefined }): Undecided => ({
  unused: evidence?.unused ?? [],
  unusable: evidence?.unusable ?? [],
});
