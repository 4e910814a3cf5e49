export { assertMerchantExists, getProgramDefaults, type ProgramDefaults } from './merchant-lookup.queries.ts';
export { createMerchant } from './use-cases/create-merchant.ts';
