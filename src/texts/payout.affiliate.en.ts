import type { MyPayoutNext, MyPayoutReason, MyPayoutState } from '../contracts/situations/my-payout.ts';
import type { SituationTexts } from './catalogue.ts';

const BALANCE = 'The amount is part of your balance again.';
const CHECKING = 'The company is finding out what became of the payment.';

export const payoutForAffiliate: SituationTexts<MyPayoutState, MyPayoutReason, MyPayoutNext> = {
  states: {
    to_approve: { label: 'Awaiting approval', text: 'The company has to approve it before it is sent.' },
    queued: { label: 'Scheduled', text: 'It will be sent shortly.' },
    sending: { label: 'On its way', text: 'The payment was sent.' },
    to_pay: { label: 'Scheduled', text: 'The company makes this payment itself.' },
    on_hold: { label: 'On hold', text: 'The company has to release it first.' },
    under_review: { label: 'Under review', text: CHECKING },
    paid: { label: 'Paid', text: 'It was paid to the payout details that you had when it was created.' },
    failed: { label: 'Not paid', text: BALANCE },
    cancelled: { label: 'Cancelled', text: `It was cancelled before it was sent. ${BALANCE}` },
    returned: { label: 'Returned', text: `The receiving account didn't accept the payment. ${BALANCE}` },
  },
  reasons: {
    payment_started: 'The company is making the payment.',
    waiting_for_payee: 'The payment provider waits until you claim the payment.',
    unresolved_contradiction: 'The company has to find out what became of an earlier payout.',
    marked_failed: "The payment couldn't be made.",
    rail_rejected: 'The payment provider rejected the payment.',
    account_refused: "The company's account couldn't make the payment.",
    not_claimed: 'Nobody claimed the payment in time, so it went back.',
    invalid_details: "The payment provider didn't accept your payout details.",
    no_rail: "Your payout method isn't available right now.",
    affiliate_blocked: 'Your membership is blocked, so nothing is paid right now.',
    items_held: 'Commissions of the payout are on hold while sales are in dispute or under review.',
    resolved_not_paid: "It turned out that the payment didn't arrive.",
    approval_expired: "The payout wasn't approved in time.",
    file_discarded: "The payment wasn't sent to the bank.",
  },
  next: {
    check_details: 'Check your payout details, and correct them if they are wrong.',
    claim_payment:
      'Claim your payment: sign in to the payment provider, or open an account there, with the email address that you are paid to. If nobody claims it in time, the money goes back to the company.',
    contact_company: 'Contact the company that runs the program.',
  },
};
