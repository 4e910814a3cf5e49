export { needsApproval } from './approval.ts';
export { assessPlanned, PlanChanged } from './assess-payout.ts';
export { amountsOf, assertRunWithinDailyLimit } from './daily-limit.ts';
export { destinationHash } from './destination.ts';
export { erasePayoutMentions, erasePayoutNotes, erasePayoutRecipients } from './erase-payouts.ts';
export { exportPayouts } from './export-payouts.ts';
export { PAYMENT_RESULTS, type PaymentResult, parseResults, type ResultLine } from './parse-results.ts';
export { isSameReference } from './payment-facts.ts';
export {
  acceptedBy,
  type Payment,
  type PaymentFiles,
  paymentHeader,
  paymentLine,
  renderPaymentFiles,
} from './payment-files.ts';
export { bankTimes } from './payment-time.wire.ts';
export { payoutCsv } from './payout-export.queries.ts';
export { findItemsMadeByCaller } from './payout-makers.queries.ts';
export { signalBlockedPayouts, signalPayoutsOfRun, signalPendingPayouts } from './payout-workflow.ts';
export { PAYOUT_EVENTS } from './payouts.examples.ts';
export { type PlannedPayee, planPayouts } from './plan-payouts.ts';
export { countUnmatchedNotifications } from './rail-notifications.ts';
export { assertRailsUsable, createRails, findRailRefusal, type Rails, railConfigSchema } from './rails/rails.ts';
export { markLost, showIn } from './shown-row.ts';
export { UNFINISHED_PAYOUTS } from './unfinished-payouts.ts';
export { bookCorrection } from './use-cases/book-correction.ts';
export { cancelPayoutsOfGone, cancelUnsentPayout } from './use-cases/cancel-payout.ts';
export { checkPayout } from './use-cases/check-payout.ts';
export { checkReturn } from './use-cases/check-return.ts';
export { claimRun, claimShown, type HasShownEnd } from './use-cases/claim-run.ts';
export { completePayout } from './use-cases/complete-payout.ts';
export { createPayout, createPlannedPayouts, type PlannedPayout } from './use-cases/create-payout.ts';
export { deleteExpiredNotifications } from './use-cases/delete-expired-notifications.ts';
export { exportPayout, readExported } from './use-cases/export-payout.ts';
export { failPayout } from './use-cases/fail-payout.ts';
export { lookUpPayout } from './use-cases/look-up-payout.ts';
export { noteTerminatedRun } from './use-cases/note-terminated-run.ts';
export { openRemittance } from './use-cases/open-remittance.ts';
export { processPayout } from './use-cases/process-payout.ts';
export { recordCancellationRequest } from './use-cases/record-cancellation-request.ts';
export { type ResultInput, recordResult } from './use-cases/record-result.ts';
export { remindApproval } from './use-cases/remind-approval.ts';
export { remindPayout } from './use-cases/remind-payout.ts';
export { returnPayout } from './use-cases/return-payout.ts';
export { sendPayout } from './use-cases/send-payout.ts';
