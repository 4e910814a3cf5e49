import {
  assertMayAddAffiliates,
  assertMayAddProgram,
  billedRevenueOf,
  findBillingRequirement,
  findMonthlyRevenue,
  isRestricted,
} from './merchant-billing.queries.ts';
import { changeBilling } from './use-cases/change-billing.ts';

export { conversionSums } from './conversion-sums.ts';
export { countedByStatus, countedTotal, type MerchantListFilter, merchantList } from './merchant-list.queries.ts';
export {
  assertMerchantExists,
  getBillingTier,
  getFlagSettings,
  getProgramDefaults,
  type ProgramDefaults,
} from './merchant-lookup.queries.ts';
export { advanceOnboarding } from './use-cases/advance-onboarding.ts';
export { createMerchant } from './use-cases/create-merchant.ts';

/** Tier, revenue and payments of a merchant, and what they forbid. */
export const MERCHANT_BILLING = {
  assertMayAddAffiliates,
  assertMayAddProgram,
  billedRevenueOf,
  changeBilling,
  findBillingRequirement,
  findMonthlyRevenue,
  isRestricted,
};
