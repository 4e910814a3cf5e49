export { countedByStatus, countedTotal, type MerchantListFilter, merchantList } from './merchant-list.queries.ts';
export { assertMerchantExists, getFlagSettings, getProgramDefaults, type ProgramDefaults } from './merchant-lookup.queries.ts';
export { createMerchant } from './use-cases/create-merchant.ts';
