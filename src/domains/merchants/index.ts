export { getProgramDefaults, type ProgramDefaults } from './merchant-facts.queries.ts';
export { createMerchant } from './use-cases/create-merchant.ts';
