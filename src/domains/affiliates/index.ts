export {
  type AffiliateRecord,
  assertAffiliateProfileExists,
  decryptPayoutDetails,
  findAffiliate,
  findAffiliateByCode,
} from './affiliate-lookup.queries.ts';
export { AFFILIATE_EVENTS } from './affiliates.examples.ts';
export { type CreateAffiliateInput, createAffiliate } from './use-cases/create-affiliate.ts';
export { recordSaleCredit } from './use-cases/record-sale-credit.ts';
