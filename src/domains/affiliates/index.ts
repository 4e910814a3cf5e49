export {
  type AffiliateRecord,
  assertAffiliateProfileExists,
  decryptPayoutDetails,
  findAffiliate,
  findAffiliateByCode,
  getAffiliateOf,
  lockMembership,
  openPayoutDetails,
} from './affiliate-lookup.queries.ts';
export { AFFILIATE_EVENTS } from './affiliates.examples.ts';
export { recordSaleCredit } from './record-sale-credit.ts';
export { reserveLinkCode } from './reserve-code.ts';
export { createAffiliate } from './use-cases/create-affiliate.ts';
