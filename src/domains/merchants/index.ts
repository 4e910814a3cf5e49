import { conversionSums, SUMS_OF_ROW } from './conversion-sums.ts';
import {
  assertMayAddAffiliates,
  assertMayAddProgram,
  billedRevenueOf,
  findBillingRequirement,
  findMonthlyRevenue,
  isRestricted,
} from './merchant-billing.queries.ts';
import { changeBilling } from './use-cases/change-billing.ts';

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

/** Conversions added up by program and time. */
export const CONVERSION_SUMS = { ofPeriod: conversionSums, ofRow: SUMS_OF_ROW };
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
export { merchantSchema } from './merchants.wire.ts';
