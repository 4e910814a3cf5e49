export { type AffiliateFacts, findAffiliate, findByCode, openPayoutDetails } from './affiliate-facts.queries.ts';
export { type CreateAffiliateInput, createAffiliate } from './use-cases/create-affiliate.ts';
export { recordSaleCredit } from './use-cases/record-sale-credit.ts';
