export { conversionSums, sumsOfRow } from './conversion-sums.queries.ts';
export type { BillingChanges } from './merchant.entity.ts';
export {
  assertMayAddAffiliates,
  assertMayAddProgram,
  billedRevenueOf,
  type CurrencyRevenue,
  findAboveTier,
  findBillingRequirement,
  findMonthlyRevenue,
  isRestricted,
} from './merchant-billing.queries.ts';
export { advanceOnboarding, changeBilling } from './merchant-changes.steps.ts';
export {
  assertMerchantExists,
  getBillingTier,
  getFlagSettings,
  getProgramDefaults,
  type ProgramDefaults,
} from './merchants.queries.ts';
export { merchantSchema } from './merchants.wire.ts';
export { type CurrencyAmount, findApprovalThreshold, reachesThreshold, shownLimitIn, useOfLimits } from './payout-rules.steps.ts';
export { countedByStatus, countedTotal } from './row-counters.queries.ts';
export { createMerchant } from './use-cases/create-merchant.ts';
export { applyDueChanges, cancelChangesOfGone } from './use-cases/decide-pending-change.ts';
