export { decryptPayoutDetails, findAffiliate, findAffiliateByCode } from './affiliate-lookup.queries.ts';
export { type CreateAffiliateInput, createAffiliate } from './use-cases/create-affiliate.ts';
export { recordSaleCredit } from './use-cases/record-sale-credit.ts';
