export { addAdjustment, isUnapprovedBonus } from './adjustments.queries.ts';
export { announceHolds, type Hold } from './announce-conversions.ts';
export { approveDueConversions, approveOnUnblock } from './approve-due-conversions.ts';
export { bookAdjustment } from './book-adjustment.ts';
export { CONVERSION_EVENTS } from './conversions.examples.ts';
export { findMainCurrency, since } from './conversions.queries.ts';
export { heldSchema } from './conversions.wire.ts';
export { customerIdsOf } from './customer.ts';
export { hasDueConversions, nextReleaseOf } from './due-conversions.queries.ts';
export {
  eraseAdjustmentMentions,
  eraseAdjustmentNotes,
  eraseAuthorizations,
  eraseIdentities,
  eraseProblemNotes,
  eraseSales,
  eraseSignUps,
} from './erase-customer.ts';
export { HELD_CONVERSION, heldAffiliates, heldCommissionsOf, isHeldInPayout } from './holds.queries.ts';
export { findFewPayableItems, type PayableItem, payableCountOf, payableItems, payableItemsOf } from './payable-items.queries.ts';
export { rejectConversions } from './reject-conversions.ts';
export { listOpenSaleProblems } from './sale-problems.queries.ts';
export { approveScreened, markScreened } from './screening.ts';
export { addUpConversions } from './use-cases/add-up-conversions.ts';
export { approveCommissions } from './use-cases/approve-commissions.ts';
export { cancelAdjustmentsOfGone, expireAdjustments } from './use-cases/decide-adjustment.ts';
export { remindAdjustments } from './use-cases/remind-adjustments.ts';
export { resolveSaleProblem } from './use-cases/resolve-sale-problem.ts';
export { settleCustomers } from './use-cases/settle-customers.ts';
