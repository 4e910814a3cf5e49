import { z } from 'zod';
import { lenient } from '../../../platform/http/lenient.ts';
import { MAX_METADATA_BYTES, MAX_METADATA_KEYS } from '../../../platform/http/schemas.ts';
import { type Metadata, promotionText, stripeId } from './stripe-fields.ts';

/** What the tracking script and the merchant's server put on a payment. */
export interface StripeEvidence {
  /** `agentref_pid`; null when the payment does not say. */
  programId: string | null;
  clickToken: string | undefined;
  /** Ids of coupons, ids and codes of promotion codes; at most one of them is a coupon of an affiliate. */
  couponCodes: readonly string[];
}

const CLICK_TOKEN = /^clk_[0-9a-f]{32}$/;
/** Names of the published tracking script. They are not the merchant's own data. */
const OWN_PREFIX = 'agentref_';

const discount = z.object({
  coupon: z.union([stripeId, z.object({ id: stripeId })]).nullish(),
  promotion_code: z.union([stripeId, z.object({ id: stripeId, code: promotionText.optional() })]).nullish(),
});

/** More than Stripe allows. */
const MAX_DISCOUNTS = 100;

export const discounts = lenient(z.array(discount).max(MAX_DISCOUNTS));

const codesOf = ({ coupon, promotion_code: promotion }: z.infer<typeof discount>): (string | undefined)[] => [
  typeof promotion === 'object' ? promotion?.code : undefined,
  typeof promotion === 'object' ? promotion?.id : promotion,
  typeof coupon === 'object' ? coupon?.id : coupon,
];

/** A click token in the metadata is stronger than the one in `client_reference_id`, which may also be the merchant's own text. */
export const readEvidence = (
  own: Metadata,
  more: {
    clientReferenceId?: string | null | undefined;
    discounts?: readonly z.infer<typeof discount>[] | null | undefined;
  } = {},
): StripeEvidence => {
  const tokens = [own['agentref_cid'], more.clientReferenceId].map((text) => text?.toLowerCase());
  const programId = z.uuid().toLowerCase().safeParse(own['agentref_pid']);
  return {
    programId: programId.data ?? (own['agentref_pid'] ? 'unknown' : null),
    clickToken: tokens.find((token) => token !== undefined && CLICK_TOKEN.test(token)),
    couponCodes: (more.discounts ?? []).flatMap(codesOf).filter((code) => code !== undefined),
  };
};

export const hasEvidence = ({ clickToken, couponCodes }: StripeEvidence): boolean =>
  clickToken !== undefined || couponCodes.length > 0;

/** The merchant's own metadata as far as a sale stores it; null when there is none. Stripe allows more, so that the rest is no problem. */
export const ownMetadata = (given: Metadata): Record<string, string> | null => {
  const own = Object.entries(given).filter(([name]) => !name.startsWith(OWN_PREFIX));
  const kept = own.slice(0, MAX_METADATA_KEYS);
  while (Buffer.byteLength(JSON.stringify(Object.fromEntries(kept))) > MAX_METADATA_BYTES) kept.pop();
  return kept.length === 0 ? null : Object.fromEntries(kept);
};
