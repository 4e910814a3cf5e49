export { checkCurrentAccount, walkSandbox } from './accounts/check-account.calls.ts';
export { needsApproval } from './approval/approval.steps.ts';
export { assessPayouts, PlanChanged } from './create/assess-payout.steps.ts';
export { amountsOf, assertRunWithinDailyLimit } from './create/daily-limit.steps.ts';
export { destinationHash } from './create/destination.rules.ts';
export { findItemsMadeByCaller } from './create/payout-makers.queries.ts';
export { type PlannedPayee, planPayouts } from './create/plan-payouts.steps.ts';
export { readPaymentReceiver } from './create/read-details.steps.ts';
export { erasePayoutMentions, erasePayoutNotes, erasePayoutRecipients } from './erase-payouts.steps.ts';
export { endPayeeHolds, holdPayee } from './holds/payee-hold.steps.ts';
export {
  assertPaymentsNotHeld,
  findPaymentsHold,
  holdPayments,
  liftPaymentsHold,
  type OpenPaymentsHold,
} from './holds/payments-hold.steps.ts';
export { isSameReceiver, maskReceiver } from './holds/receiver.rules.ts';
export { exportPayouts } from './lists/export-payouts.steps.ts';
export { payoutCsv } from './lists/payout-export.queries.ts';
export { mayPay } from './machine/available-actions.ts';
export { payoutLifePage } from './machine/payout-life.ts';
export { PAYMENT_RESULTS, type PaymentResult, parseResults, type ResultLine } from './manual/parse-results.rules.ts';
export {
  acceptedBy,
  type Payment,
  type PaymentFiles,
  paymentHeader,
  paymentLine,
  renderPaymentFiles,
} from './manual/payment-files.rules.ts';
export { bankTimes } from './manual/payment-time.wire.ts';
export { isAttemptKey } from './payout-attempt.entity.ts';
export { signalAllPending, signalBlockedPayouts, signalPayoutsOfRun, signalPendingPayouts } from './payout-workflow.steps.ts';
export { PAYOUT_EVENTS } from './payouts.examples.ts';
export { feeSchema } from './payouts.wire.ts';
export { openPayees } from './rails/account-rails.queries.ts';
export { paceOf } from './rails/account-turns.steps.ts';
export type { References } from './rails/answer.ts';
export type {
  Balance,
  Booking,
  FileOrder,
  FileRail,
  Statement,
  StatementFile,
  StatusFile,
  StatusReport,
  Verdict,
} from './rails/file-rail.ts';
export { durationOf } from './rails/pace.rules.ts';
export { isSameReference } from './rails/payment-facts.rules.ts';
export type { ListedMovement, OnlineRail, WalkedStep } from './rails/rail.ts';
export { accountOf, readRailAccount } from './rails/rail-accounts.steps.ts';
export { countUnmatchedNotifications } from './rails/rail-notifications.steps.ts';
export { assertRailsUsable, createRails, getRail, offeredBy, openFileRail, type Rails, railConfigSchema } from './rails/rails.ts';
export { markLost, showIn } from './shown-row.steps.ts';
export { UNFINISHED_PAYOUTS } from './unfinished-payouts.queries.ts';
export { askPayouts } from './use-cases/ask-payouts.ts';
export { bookCorrection } from './use-cases/book-correction.ts';
export { cancelPayoutsOfGone, cancelUnsentPayout } from './use-cases/cancel-payout.ts';
export { checkPayout } from './use-cases/check-payout.ts';
export { checkReturn } from './use-cases/check-return.ts';
export { claimRun, claimShown, type HasShownEnd } from './use-cases/claim-run.ts';
export { completePayout } from './use-cases/complete-payout.ts';
export { createPayout, createPayouts, type NewPayout } from './use-cases/create-payout.ts';
export { deleteExpiredNotifications } from './use-cases/delete-expired-notifications.ts';
export { exportPayout, readExported } from './use-cases/export-payout.ts';
export { failPayout } from './use-cases/fail-payout.ts';
export { lookUpPayout } from './use-cases/look-up-payout.ts';
export { noteTerminatedRun } from './use-cases/note-terminated-run.ts';
export { openRemittance } from './use-cases/open-remittance.ts';
export {
  type BankWord,
  type FiledAttempt,
  failDiscarded,
  hearBank,
  noteDownload,
  noteHandover,
  type PlannedFilePayment,
  planFilePayment,
  putIntoFile,
} from './use-cases/pay-by-bank-file.ts';
export { processPayout } from './use-cases/process-payout.ts';
export { checkRailAccount } from './use-cases/rail-account.ts';
export { readPayoutEvidence } from './use-cases/read-payout-evidence.ts';
export { recordCancellationRequest } from './use-cases/record-cancellation-request.ts';
export { type ResultInput, recordResult } from './use-cases/record-result.ts';
export { remindApproval } from './use-cases/remind-approval.ts';
export { remindPayout } from './use-cases/remind-payout.ts';
export { returnPayout } from './use-cases/return-payout.ts';
export { sendPayout } from './use-cases/send-payout.ts';
