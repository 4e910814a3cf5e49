export { hasDueConversions, heldAmountOf, type PayableItem, payableItems, payableItemsOf } from './commissions.queries.ts';
export { CONVERSION_EVENTS } from './conversions.examples.ts';
export { findMainCurrency, since } from './conversions.queries.ts';
export { addPayoutAdjustment } from './payout-adjustment.ts';
export { releaseOnUnblock } from './release-on-unblock.ts';
export { stripeProblems } from './stripe/stripe-problems.ts';
export { releaseCommissions } from './use-cases/release-commissions.ts';
