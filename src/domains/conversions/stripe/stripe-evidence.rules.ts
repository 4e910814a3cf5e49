import { z } from 'zod';
import { lenient } from '../../../platform/http/lenient.ts';
import { MAX_METADATA_BYTES, MAX_METADATA_KEYS } from '../../../platform/http/schemas.ts';
import { type Metadata, promotionText, stripeId } from './stripe-fields.rules.ts';

/** What the tracking script and the merchant's server put on a payment. */
export interface StripeEvidence {
  /** `agentref_pid`; null when the payment does not say. */
  programId: string | null;
  clickToken?: string | undefined;
  /** Ids of discounts and coupons, ids and codes of promotion codes; at most one of them is a coupon of an affiliate. */
  couponCodes: readonly string[];
}

/** The form that is stored as JSON. */
export interface StoredStripeEvidence extends StripeEvidence {
  /** Time since which the customer counts as attributed. If left out, since the payment. */
  attributedAt?: string | undefined;
}

/** Replaces an `agentref_pid` that is not a program id. */
export const UNKNOWN_PROGRAM = 'unknown';

const CLICK_TOKEN = /^clk_[0-9a-f]{32}$/;
/** Names of the published tracking script. They are not the merchant's own data. */
const OWN_PREFIX = 'agentref_';

const coupon = z.union([stripeId, z.object({ id: stripeId })]).nullish();

/** A discount of a Checkout Session, or the object of a discount. */
export const discountObject = z.object({
  coupon,
  // Used since API version 2025-09-30.
  source: z.object({ coupon }).nullish(),
  promotion_code: z.union([stripeId, z.object({ id: stripeId, code: promotionText.optional() })]).nullish(),
});

/** Invoices and subscriptions name discounts by id, unless the event was expanded. */
const discount = z.union([stripeId, discountObject]);

type Discount = z.infer<typeof discount>;

/** More than Stripe allows, and more than it sends for all lines of an invoice. */
const MAX_DISCOUNTS = 1_000;

export const discounts = lenient(z.array(discount).max(MAX_DISCOUNTS));
export const lineDiscounts = lenient(z.array(z.object({ discount })).max(MAX_DISCOUNTS));
/** The one discount of objects before API version 2025-03-31. */
export const oneDiscount = lenient(discount);

const codesOf = (given: Discount): (string | null | undefined)[] => {
  if (typeof given === 'string') return [given];
  const { promotion_code: promotion } = given;
  const named = given.source?.coupon ?? given.coupon;
  return [
    typeof promotion === 'object' ? promotion?.code : undefined,
    typeof promotion === 'object' ? promotion?.id : promotion,
    typeof named === 'object' ? named?.id : named,
  ];
};

/** What a list of discounts names: ids of discounts, coupons and promotion codes, and what customers type. */
export const couponCodesOf = (discounts: readonly Discount[]): string[] =>
  [...new Set(discounts.flatMap(codesOf))].filter((code) => code !== undefined && code !== null);

/** A click token in the metadata is stronger than the one in `client_reference_id`, which may also be the merchant's own text. */
export const readEvidence = (
  own: Metadata,
  more: {
    clientReferenceId?: string | null | undefined;
    discounts?: readonly Discount[] | null | undefined;
  } = {},
): StripeEvidence => {
  const tokens = [own['agentref_cid'], more.clientReferenceId].map((text) => text?.toLowerCase());
  const programId = z.uuid().toLowerCase().safeParse(own['agentref_pid']);
  return {
    programId: programId.data ?? (own['agentref_pid'] ? UNKNOWN_PROGRAM : null),
    clickToken: tokens.find((token) => token !== undefined && CLICK_TOKEN.test(token)),
    couponCodes: couponCodesOf(more.discounts ?? []),
  };
};

const MAX_COUPONS = 20;

/** The coupons that are looked for. */
export const namedCoupons = ({ couponCodes }: StripeEvidence): readonly string[] => couponCodes.slice(0, MAX_COUPONS);

/** Evidence from two places. A program that is one comes before a name that is none. */
export const mergeEvidence = (stronger: StoredStripeEvidence, weaker: StoredStripeEvidence): StoredStripeEvidence => ({
  programId: (stronger.programId === UNKNOWN_PROGRAM ? weaker.programId : null) ?? stronger.programId ?? weaker.programId,
  clickToken: stronger.clickToken ?? weaker.clickToken,
  couponCodes: [...new Set([...stronger.couponCodes, ...weaker.couponCodes])].slice(0, MAX_COUPONS),
  attributedAt: stronger.attributedAt ?? weaker.attributedAt,
});

export const hasEvidence = ({ clickToken, couponCodes }: StripeEvidence): boolean =>
  clickToken !== undefined || couponCodes.length > 0;

/** The merchant's own metadata as far as a sale stores it; null when there is none. Stripe allows more, so that the rest is no problem. */
export const ownMetadata = (given: Metadata): Record<string, string> | null => {
  const own = Object.entries(given).filter(([name]) => !name.startsWith(OWN_PREFIX));
  const kept = own.slice(0, MAX_METADATA_KEYS);
  while (Buffer.byteLength(JSON.stringify(Object.fromEntries(kept))) > MAX_METADATA_BYTES) kept.pop();
  return kept.length === 0 ? null : Object.fromEntries(kept);
};
