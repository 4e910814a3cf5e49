export { hasDueConversions, heldAmountOf, type PayableItem, payableItems, payableItemsOf } from './commissions.queries.ts';
export { CONVERSION_EVENTS } from './conversions.examples.ts';
export { findMainCurrency, since } from './conversions.queries.ts';
export { addPayoutAdjustment } from './payout-adjustment.ts';
export { releaseOnUnblock } from './release-on-unblock.ts';
export { UNCALLED } from './uncalled.ts';
export { listStripeProblems } from './stripe/stripe-problem.ts';
export { releaseCommissions } from './use-cases/release-commissions.ts';
export { resolveStripeProblem } from './use-cases/resolve-stripe-problem.ts';
