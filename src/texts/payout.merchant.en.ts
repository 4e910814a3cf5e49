import type { PayoutNext, PayoutReason, PayoutStateName } from '../contracts/situations/payout.ts';
import { accountButtons } from './about-rails.merchant.en.ts';
import type { SituationTexts } from './catalogue.ts';
import { payoutButtons } from './payout.finance.en.ts';

const { approve, reject, process, complete, fail, return: comeBack, resolve, retry } = payoutButtons;

const NO_RECORD = 'the payment provider has no record of it';

/** What is said of the amount of a failed payout in place of the state's own text. */
export const REPLACED = 'A later payout includes the amount.';

export const payoutForMerchant: SituationTexts<PayoutStateName, PayoutReason, PayoutNext> = {
  states: {
    to_approve: { label: 'Awaiting approval', text: 'Nothing is sent until a second person approves it.' },
    queued: { label: 'Queued', text: 'It sends automatically.' },
    sending: { label: 'Sending', text: "It was sent to the payment provider. You don't have to do anything." },
    to_pay: { label: 'To pay', text: 'You make this payment yourself.' },
    to_put_into_file: { label: 'Waiting for a bank file', text: 'It is paid by the next bank file that you make.' },
    at_bank: {
      label: 'At the bank',
      text: 'It is in a bank file. The status file or statement of your bank shows what became of it.',
    },
    on_hold: { label: 'On hold', text: "Don't pay it until the hold ends." },
    to_decide: { label: 'Needs a decision', text: "We can't tell on our own what became of it." },
    contradiction: {
      label: 'Contradiction',
      text: "The payment provider reported it both as paid and as failed. We don't pay this affiliate anything else until you say which is true.",
    },
    paid: { label: 'Paid', text: 'The affiliate has the money.' },
    failed: { label: 'Failed', text: 'The amount is payable again.' },
    cancelled: { label: 'Cancelled', text: 'It was cancelled before anything was sent. The amount is payable again.' },
    returned: { label: 'Returned', text: 'The payment came back. The amount is payable again.' },
  },
  reasons: {
    payment_started: 'someone started to pay it',
    outcome_unknown: (sent) => `${sent}, outcome unknown`,
    in_bank_file: 'the bank has not reported anything about it yet',
    accepted_by_bank: 'the bank accepted it and has not booked it yet',
    waiting_for_payee: 'the affiliate has to claim it at the payment provider, which sends the money back if nobody does in time',
    cancel_requested: 'the payment provider is asked to cancel it',
    run_paused: 'its payout run is paused',
    account_held: 'the payment provider refuses payouts from your account',
    account_missing: 'the payout account that pays it is no longer connected',
    unresolved_contradiction: 'another payout to this affiliate was reported both as paid and as failed',
    payments_held: 'all payments are on hold until the books have been compared with the payment providers',
    payee_held: "the payment provider lists a payment to this payee that our books don't have",
    accepted_before: 'the payment provider accepted it and now has no record of it',
    accepted_too_long: 'the payment provider accepted it and has not completed it in time',
    blocked: 'the payment provider has blocked it and may hold the money',
    key_reused: 'the payment provider has a different order in its place',
    record_mismatch: 'the payment provider has a different amount, currency or reference',
    reminders_exhausted: 'nobody has recorded a payment in time',
    repeat_window_over: `${NO_RECORD}, and it is too late to send it again safely`,
    resend_blocked: `${NO_RECORD}, and it isn't sent again because of a block, a pause, a hold or a cancelled payout run`,
    never_sent: 'the payment provider reported a transfer that was never sent from here, and has no record of it now',
    resends_exhausted: (sent) => `${sent}, and ${NO_RECORD}`,
    return_unconfirmed: "a return was reported that the payment provider doesn't confirm",
    status_unknown: "the payment provider reports a status that isn't supported",
    unknown_too_long: (sent) => `${sent}, and the payment provider has not reported the outcome in time`,
    marked_failed: 'someone marked it as failed',
    rail_rejected: 'the payment provider rejected it',
    account_refused: "your account at the payment provider couldn't pay it",
    not_claimed: 'the affiliate did not claim it in time, so the money came back',
    invalid_details: 'the payout details were refused',
    no_rail: "the payout method isn't available",
    affiliate_blocked: 'the affiliate is blocked',
    items_held: 'a fraud review or a dispute holds a commission of it',
    resolved_not_paid: 'it turned out that it was not paid',
    approval_expired: 'nobody approved it in time',
    file_discarded: 'its bank file was discarded before the bank executed it',
  },
  next: {
    approve: `Check the amount and the payee, then choose “${approve}” or “${reject}”. Whoever created it can't approve it.`,
    start_payment: `Choose “${process}”. From then on, the payout can't be cancelled.`,
    record_payment: `Pay as the instructions say, then choose “${complete}” and enter the bank's reference. If it can't be paid, choose “${fail}”.`,
    make_bank_file: 'Make a bank file under Bank files, or on the page of its run, and bring it to your bank.',
    import_bank_status: 'Upload the status file or the account statement of your bank under Bank files.',
    resume_run: 'Resume or cancel its payout run.',
    check_account: `Open the payout account to see what the payment provider said, and fix it there. Then choose “${accountButtons.check}”.`,
    connect_account: 'Connect the account again, or cancel the payout.',
    resolve_other_payout: 'Resolve the other payout to this affiliate first.',
    resume_payments:
      'Your admin compares the books with the payment providers and then resumes payments. Nothing is paid until then.',
    decide_on_payee:
      'Open Reconciliation and decide on the payment: link it to the payout that it paid, or resolve it with a note.',
    ask_provider: `Look it up at the payment provider. If it was paid, choose “${complete}”. If it was not and never will be, choose “${fail}”.`,
    wait_for_provider: `Look it up at the payment provider. If it was paid, choose “${complete}”. Otherwise wait: the payment provider accepted it and may still pay.`,
    confirm_return: `Ask the payment provider. If the money came back, choose “${comeBack}”. If it didn't, choose “${resolve}”.`,
    resolve: `Ask the payment provider and the affiliate whether the money arrived, then choose “${resolve}”.`,
    ask_for_details: `Ask the affiliate for new payout details, then choose “${retry}”. After three refusals, the same details are paused until they are changed or confirmed.`,
    add_funds: `Add money to your account at the payment provider. If the payout account is on hold, check it in the settings. Then choose “${retry}”, or leave the amount to the next payout run.`,
    mend_account: `Ask the payment provider what your account at the payment provider lacks, then choose “${retry}”.`,
    change_order: `The order was refused as it was sent, so a retry fails too until its cause is fixed: the amount, the currency, the destination, or the format of a bank file. Then choose “${retry}”.`,
    ask_why: `Ask the payment provider why it was refused before anything is paid again.`,
    unblock_affiliate: 'Nothing is paid while the affiliate is blocked.',
    resolve_hold: `Resolve the fraud review or the dispute, then choose “${retry}”.`,
    pay_again: `Choose “${retry}”, or leave the amount to the next payout run.`,
  },
};
