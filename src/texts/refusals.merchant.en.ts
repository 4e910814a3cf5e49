import type { Reason } from '../contracts/error-codes.ts';

type Refused = Extract<
  Reason,
  | 'ALREADY_COMPLETED'
  | 'ALREADY_DECIDED'
  | 'ALREADY_RETRIED'
  | 'APPROVAL_NOT_REQUIRED'
  | 'APPROVAL_REQUIRED'
  | 'ATTEMPT_STARTED'
  | 'BANK_FILE_DISCARDED'
  | 'BANK_FILE_NOT_READY'
  | 'ILLEGAL_TRANSITION'
  | 'NOTHING_PAYABLE'
  | 'NOTHING_TO_PUT_INTO_FILE'
  | 'NOTHING_TO_RESOLVE'
  | 'NOT_DRAFT'
  | 'NOT_FAILED'
  | 'NOT_PROCESSING'
  | 'OTHER_ACCOUNT'
  | 'PAYEE_HELD'
  | 'PAYMENTS_HELD'
  | 'RAIL_ACCEPTED'
  | 'RAIL_ACCOUNT_FAILING'
  | 'RAIL_ACCOUNT_IN_USE'
  | 'RAIL_CANNOT_PAY'
  | 'RAIL_NOT_MANUAL'
  | 'RETURN_REPORTED'
  | 'RUN_CHANGED'
  | 'RUN_IN_PROGRESS'
  | 'RUN_NOT_READY'
  | 'RUN_PAUSED'
  | 'SAME_ACTOR'
  | 'UNRESOLVED_PAYOUT'
>;

/** Why something about payouts is refused, in the words of the pages of merchants: reasons of a 409, and rights that are missing. */
export const refusalsForMerchant: Readonly<Record<Refused | 'INSUFFICIENT_SCOPE', string>> = {
  ALREADY_COMPLETED: 'This payout is already recorded as paid. If the money came back, record the return.',
  ALREADY_DECIDED: 'Someone has already decided on this payout.',
  ALREADY_RETRIED: 'A newer payout already retries this one.',
  APPROVAL_NOT_REQUIRED: "This payout doesn't need an approval.",
  APPROVAL_REQUIRED: 'Someone else has to approve this payout first.',
  ATTEMPT_STARTED: "The payment has already started, so the payout can't be cancelled anymore.",
  BANK_FILE_DISCARDED: "The bank file was discarded, so it can't be downloaded or changed anymore.",
  BANK_FILE_NOT_READY: "The bank file is still being made, or its content was erased together with a payee's data.",
  ILLEGAL_TRANSITION: "This isn't possible anymore: it has changed in the meantime.",
  INSUFFICIENT_SCOPE: 'Your role lets you see this, but not do it. Ask an owner, or someone in finance.',
  NOTHING_PAYABLE:
    'Nothing is payable to this affiliate right now. If a later payout has paid this amount, you find it under Payouts.',
  NOTHING_TO_PUT_INTO_FILE: 'No payout is waiting for a bank file anymore.',
  NOTHING_TO_RESOLVE: 'This has already been resolved.',
  NOT_DRAFT: "This payout run is not a draft anymore, so it can't be changed.",
  NOT_FAILED: 'Only a payout that failed can be retried.',
  NOT_PROCESSING: 'There are payment instructions only while the payout is in progress.',
  OTHER_ACCOUNT:
    "The file is about a bank account that isn't connected here. Choose a file for an account that you connected under Payout accounts.",
  PAYEE_HELD:
    "Your payment provider lists a payment to this payee that our books don't have. Decide on it under Reconciliation first.",
  PAYMENTS_HELD:
    'All payments are on hold until the books have been compared with the payment providers. They go on once the admin of this server resumes them.',
  RAIL_ACCEPTED: 'The payment provider has accepted this payout and may still pay it.',
  RAIL_ACCOUNT_FAILING:
    "An account that this payout run pays from can't pay right now. Open Settings, then Payout accounts, to see why and to check it again.",
  RAIL_ACCOUNT_IN_USE:
    'Payouts still wait to be paid from this account, or their outcome is open. Wait until they have ended, or cancel them, then disconnect the account.',
  RAIL_CANNOT_PAY:
    "The payment provider can't pay this right now: your payout account is on hold, or it doesn't pay this currency, country or amount. Open Settings, then Payout accounts, to see why and to check the account again.",
  RAIL_NOT_MANUAL: 'The payment provider pays this payout, so nobody records it here.',
  RETURN_REPORTED: 'This return is already recorded.',
  RUN_CHANGED: 'The payouts have changed since you opened the page. Check the figures again, then confirm.',
  RUN_IN_PROGRESS:
    'Another payout run of the same program and payout method is not finished yet. Wait until it is, or cancel it: payouts that were already sent are still paid.',
  RUN_NOT_READY: 'The payout run is still creating its payouts. Make the bank file once all of them exist.',
  RUN_PAUSED: 'The payout run is paused. Resume it first.',
  SAME_ACTOR: 'Someone else has to approve it: you created it, had a part in it, or joined after it was created.',
  UNRESOLVED_PAYOUT: 'Another payout to this affiliate was reported both as paid and as failed. Resolve it first.',
};
