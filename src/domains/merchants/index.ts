export { countedTotal, type MerchantListFilter, merchantList } from './merchant-list.queries.ts';
export { getProgramDefaults, type ProgramDefaults } from './merchant-lookup.queries.ts';
export { createMerchant } from './use-cases/create-merchant.ts';
