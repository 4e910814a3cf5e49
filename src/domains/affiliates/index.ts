export {
  assertAffiliateProfileExists,
  findAffiliate,
  getOwnAffiliate,
  getProfileEmail,
  lockMembership,
  readOwnedAffiliate,
} from './affiliate-lookup.queries.ts';
export { AFFILIATE_EVENTS, affiliateDetailExample } from './affiliates.examples.ts';
export { getAffiliate } from './affiliates.queries.ts';
export { affiliateDetailSchema, affiliateSchema, ownDataBody } from './affiliates.wire.ts';
export { agreesWithIban, parseBic, parseIban } from './bank-codes.rules.ts';
export { acceptMembership, allotMembership, createMembership, type NewMembership } from './create-membership.steps.ts';
export { type OpenedEmbed, openEmbed } from './embed.queries.ts';
export { eraseProfile } from './erase-profile.steps.ts';
export { findOrCreateProfile } from './find-or-create-profile.steps.ts';
export { getPayoutInfo } from './my-payout-info.queries.ts';
export { paypalEmailsOf } from './payout-details.steps.ts';
export {
  chosenMethod,
  findPayoutDestinations,
  latestOf,
  openPayoutDestination,
  type PayoutDestination,
  payoutDestination,
  type StoredPayoutDestination,
} from './payout-info.queries.ts';
export type { EnteredDetails } from './payout-info.rules.ts';
export {
  type DetailsRejection,
  detailsRejectedSchema,
  enteredDetailsBody,
  namesOneAccount,
  ONE_ACCOUNT,
  payoutInfoSchema,
} from './payout-info.wire.ts';
export {
  assertNotRejected,
  destinationDigest,
  findRejections,
  type Payee,
  recordRefusal,
  withdrawRefusal,
} from './rejected-details.steps.ts';
export { replaceCode } from './replace-code.steps.ts';
export { endReservation, reserveLinkCode, shareCode } from './reserve-code.steps.ts';
export { resetTrust } from './reset-trust.steps.ts';
export { type SaleCredit, saleCredit } from './sale-credit.queries.ts';
export { blockAffiliate } from './use-cases/affiliate.ts';
export { raiseTrust } from './use-cases/raise-trust.ts';
