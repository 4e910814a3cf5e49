import { paypalEmailsOf } from './paypal-emails.ts';
import { resetTrust } from './reset-trust.ts';
import { blockAffiliate } from './use-cases/block-affiliate.ts';
import { raiseTrust } from './use-cases/raise-trust.ts';

export {
  assertAffiliateProfileExists,
  findAffiliate,
  getAffiliateOf,
  getOwnAffiliate,
  lockMembership,
} from './affiliate-lookup.queries.ts';
export { AFFILIATE_EVENTS } from './affiliates.examples.ts';
export { MEMBERSHIPS } from './create-membership.ts';
export { findOrCreateProfile } from './find-or-create-profile.ts';
export { PAYOUT_DESTINATION } from './payout-destination.queries.ts';
export { getPayoutInfo } from './payout-info.queries.ts';
export { reserveLinkCode } from './reserve-code.ts';
export { saleCredit } from './sale-credit.ts';

/** What a confirmed flag does to an affiliate. */
export const SANCTIONS = { blockAffiliate, resetTrust };

export const AFFILIATE_TRUST = { paypalEmailsOf, raiseTrust };
