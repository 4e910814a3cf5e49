import type { PayoutAction, PayoutNext, PayoutReason, PayoutStateName } from '../contracts/situations/payout.ts';
import type { SituationTexts } from './catalogue.ts';

/** Names of the buttons on a payout's page. */
export const payoutButtons: Readonly<Record<PayoutAction | 'reject', string>> = {
  approve: 'Approve',
  reject: 'Reject',
  cancel: 'Cancel payout',
  process: 'Mark as in progress',
  read_instructions: 'Show payment instructions',
  complete: 'Mark as paid',
  fail: 'Mark as failed',
  return: 'Record the return',
  resolve: 'Resolve',
  retry: 'Retry',
};
const { approve, reject, process, complete, fail, return: comeBack, resolve, retry } = payoutButtons;

const NO_RECORD = 'the provider has no record of it';

export const payoutForFinance: SituationTexts<PayoutStateName, PayoutReason, PayoutNext> = {
  states: {
    to_approve: { label: 'Awaiting approval', text: 'Nothing is sent until a second person approves it.' },
    queued: { label: 'Queued', text: 'It sends automatically.' },
    sending: { label: 'Sending', text: 'Tributary sent it and follows its outcome.' },
    to_pay: { label: 'To pay', text: 'Somebody from the team makes this payment.' },
    on_hold: { label: 'On hold', text: 'It must not be paid until the hold ends.' },
    to_decide: { label: 'Needs a decision', text: "Tributary can't determine the outcome on its own." },
    contradiction: {
      label: 'Contradiction',
      text: 'The provider reported it both paid and failed. The affiliate gets no other payout until this is resolved.',
    },
    paid: { label: 'Paid', text: 'The affiliate has the money.' },
    failed: { label: 'Failed', text: 'The amount is payable again.' },
    cancelled: { label: 'Cancelled', text: 'It was cancelled before anything was sent. The amount is payable again.' },
    returned: { label: 'Returned', text: 'The payment came back. The amount is payable again.' },
  },
  reasons: {
    payment_started: 'somebody started to pay it',
    outcome_unknown: (sent) => `${sent}, outcome unknown`,
    run_paused: 'its run is paused',
    unresolved_contradiction: 'another payout to this affiliate was reported both paid and failed',
    payments_held: 'all payments are on hold until the books have been compared with the providers',
    payee_held: 'the provider lists a payment to this payee that our books do not have',
    accepted_before: 'the provider has no record of a transfer that it accepted',
    accepted_too_long: 'the provider accepted the transfer and has not completed it in time',
    blocked: 'the provider has blocked the payment and may hold the money',
    key_reused: 'the provider has a different order under this key',
    record_mismatch: 'the provider has a different amount, currency or reference',
    reminders_exhausted: 'still unpaid after the last reminder',
    repeat_window_over: `${NO_RECORD}, and it is too late to send it again safely`,
    resend_blocked: `${NO_RECORD}, and something now stands against sending it again: a block, a pause, a hold or a cancelled run`,
    never_sent: 'the payment provider reported a transfer that was never sent from here, and has no record of it now',
    resends_exhausted: (sent) => `${sent}, and ${NO_RECORD}`,
    return_unconfirmed: "a return was reported that the provider doesn't confirm",
    status_unknown: "the provider reports a status that isn't supported",
    unknown_too_long: (sent) => `${sent}, and the provider has not reported the outcome in time`,
    marked_failed: 'marked as failed by a person',
    rail_rejected: 'the provider rejected it',
    invalid_details: 'the payout details were refused',
    no_rail: "the payout method isn't available",
    affiliate_blocked: 'the affiliate is blocked',
    items_held: 'a fraud review or a dispute holds a commission of it',
    resolved_not_paid: 'it turned out that it was not paid',
    approval_expired: 'nobody approved it in time',
  },
  next: {
    approve: `Check the amount and the payee, then choose “${approve}” or “${reject}”. Whoever created it can't approve it.`,
    start_payment: `Choose “${process}”, pay as the instructions say, then choose “${complete}”.`,
    record_payment: `Ask whoever started the payment whether it was made. If it was, choose “${complete}”. Only if it never will be, choose “${fail}”.`,
    resume_run: 'Resume or cancel its run.',
    resolve_other_payout: 'Resolve the other payout to this affiliate first.',
    resume_payments: 'The admin compares the books with the providers and then resumes payments.',
    decide_on_payee:
      'Open Reconciliation in the console and decide on the payment: link it to the payout that it paid, or resolve it with a note.',
    ask_provider: `Look it up at the provider. If it was paid, choose “${complete}”. If it was not and never will be, choose “${fail}”.`,
    wait_for_provider: `Look it up at the provider. If it was paid, choose “${complete}”. Otherwise wait: the provider accepted it and may still pay.`,
    confirm_return: `Ask the provider. If the money came back, choose “${comeBack}”. If it did not, choose “${resolve}”.`,
    resolve: `Ask the provider whether the money arrived, then choose “${resolve}”.`,
    ask_for_details: `Ask the affiliate for new payout details, then choose “${retry}”. After three refusals, the same details are paused until they are changed or confirmed.`,
    add_funds: `Add money to the account at the provider, then choose “${retry}”.`,
    mend_account: `Ask the provider what the account at the provider lacks, then choose “${retry}”.`,
    change_order: `The provider doesn't pay such an order, so a retry fails too until the amount, the currency or the destination changes.`,
    ask_why: `Ask the provider why it was refused before anything is paid again.`,
    unblock_affiliate: 'Nothing is paid while the affiliate is blocked.',
    resolve_hold: `Resolve the fraud review or the dispute, then choose “${retry}”.`,
    pay_again: `Find out why, then choose “${retry}” or leave the amount to the next payout run.`,
  },
};
