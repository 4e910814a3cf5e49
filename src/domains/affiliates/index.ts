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
export { type CreateAffiliateInput, createAffiliate } from './use-cases/create-affiliate.ts';
