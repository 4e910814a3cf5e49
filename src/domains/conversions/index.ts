export { CONVERSION_EVENTS } from './conversions.examples.ts';
export { findMainCurrency, since } from './conversions.queries.ts';
export { heldSchema } from './conversions.wire.ts';
export {
  eraseAdjustmentMentions,
  eraseAdjustmentNotes,
  eraseAuthorizations,
  eraseIdentities,
  eraseProblemNotes,
  eraseSales,
  eraseSignUps,
} from './erase-customer.steps.ts';
export { announceHolds, type Hold } from './hold/announce-conversions.steps.ts';
export { approveDueConversions, approveOnUnblock } from './hold/approve-due-conversions.steps.ts';
export { hasDueConversions, nextReleaseOf } from './hold/due-conversions.queries.ts';
export { HELD_CONVERSION, heldAffiliates, heldCommissionsOf, isHeldInPayout } from './hold/holds.queries.ts';
export {
  findFewPayableItems,
  type PayableItem,
  payableCountOf,
  payableItems,
  payableItemsOf,
} from './hold/payable-items.queries.ts';
export { approveScreened, markScreened } from './hold/screening.steps.ts';
export { listOpenSaleProblems } from './lists/sale-problems.queries.ts';
export { customerIdsOf } from './record/customer.rules.ts';
export { addAdjustment, isUnapprovedBonus } from './refund/adjustments.queries.ts';
export { bookAdjustment } from './refund/book-adjustment.steps.ts';
export { rejectConversions } from './refund/reject-conversions.steps.ts';
export { addUpConversions } from './use-cases/add-up-conversions.ts';
export { approveCommissions } from './use-cases/approve-commissions.ts';
export { cancelAdjustmentsOfGone, expireAdjustments } from './use-cases/decide-adjustment.ts';
export { remindAdjustments } from './use-cases/remind-adjustments.ts';
export { resolveSaleProblem } from './use-cases/resolve-sale-problem.ts';
export { settleCustomers } from './use-cases/settle-customers.ts';
