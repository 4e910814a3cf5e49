import { payableCountOf } from './commissions.queries.ts';
import { hasDueConversions } from './due-conversions.queries.ts';
import { HELD_CONVERSION, heldCommissionsOf, isHeldInPayout } from './holds.queries.ts';
import { rejectConversions } from './reject-conversions.ts';
import { releaseDueConversions } from './release-due-conversions.ts';
import { releaseOnUnblock } from './release-on-unblock.ts';
import { listUnscreened, markScreened, releaseScreened } from './screening.ts';
import { addUpConversions } from './use-cases/add-up-conversions.ts';
import { releaseCommissions } from './use-cases/release-commissions.ts';

export { type PayableItem, payableItems, payableItemsOf } from './commissions.queries.ts';
export { CONVERSION_EVENTS } from './conversions.examples.ts';
export { findMainCurrency, since } from './conversions.queries.ts';
export { customerIdsOf } from './customer-ids.ts';
export { eraseAdjustmentNotes, eraseSales, eraseSignUps, eraseStripeNotes } from './erase-customer.ts';
export { addPayoutAdjustment } from './payout-adjustment.ts';
export { stripeProblems } from './stripe/stripe-problems.ts';

/** What becomes of conversions after the request that made them. */
export const CONVERSION_TASKS = { addUpConversions, hasDueConversions, releaseCommissions, releaseOnUnblock };
/** What the screening of conversions needs. */
export const SCREENING = { listUnscreened, markScreened, releaseScreened };
/** Fragments that tell what may be neither released nor paid, and how much is left to pay. */
export const HOLDS = { HELD_CONVERSION, heldCommissionsOf, isHeldInPayout, payableCountOf };
/** What becomes of commissions when the flag that holds them is resolved. */
export const FLAGGED_COMMISSIONS = { rejectConversions, releaseDueConversions };
