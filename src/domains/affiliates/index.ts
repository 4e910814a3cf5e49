import { getPayoutInfo } from './payout-info.queries.ts';
import { payoutInfoSchema } from './payout-info.wire.ts';
import { paypalEmailsOf } from './paypal-emails.ts';
import { resetTrust } from './reset-trust.ts';
import { blockAffiliate } from './use-cases/block-affiliate.ts';
import { raiseTrust } from './use-cases/raise-trust.ts';

export {
  assertAffiliateProfileExists,
  findAffiliate,
  getOwnAffiliate,
  lockMembership,
  readOwnedAffiliate,
} from './affiliate-lookup.queries.ts';
export { AFFILIATE_EVENTS } from './affiliates.examples.ts';
export { MEMBERSHIPS } from './create-membership.ts';
export { eraseProfile } from './erase-profile.ts';
export { findOrCreateProfile } from './find-or-create-profile.ts';
export { PAYOUT_DESTINATION } from './payout-destination.queries.ts';
export { reserveLinkCode } from './reserve-code.ts';
export { saleCredit } from './sale-credit.ts';

/** Where the caller is paid, masked, and the schemas of its fields. */
export const PAYOUT_INFO = { get: getPayoutInfo, fields: payoutInfoSchema.shape };

/** What a confirmed flag does to an affiliate. */
export const SANCTIONS = { blockAffiliate, resetTrust };

export const AFFILIATE_TRUST = { paypalEmailsOf, raiseTrust };
