export { hasDueConversions, type PayableItem, payableItems } from './commissions.queries.ts';
export { CONVERSION_EVENTS } from './conversions.examples.ts';
export { since } from './conversions.queries.ts';
export { addPayoutAdjustment } from './payout-adjustment.ts';
export { releaseCommissions } from './use-cases/release-commissions.ts';
