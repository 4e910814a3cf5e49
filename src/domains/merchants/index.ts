export { createMerchant } from './use-cases/create-merchant.ts';
