import type { DifferenceKind, PaymentsHoldCause } from '../contracts/reconciliation.ts';
import type { StateText } from './catalogue.ts';

export interface DifferenceText extends StateText {
  /** What to do. */
  next: string;
}

/** How our books and the provider's list differ. */
export const differenceForMerchant: Readonly<Record<DifferenceKind, DifferenceText>> = {
  missing_there: {
    label: 'Not at the provider',
    text: 'We recorded a payment that the provider does not list.',
    next: "Search for the payment in the provider's own dashboard. If it was never made, report it on the payout's page; if it was, resolve this with a note.",
  },
  missing_here: {
    label: 'Not in our books',
    text: "The provider lists a payment that looks like one of ours, and our books don't have it. Until you decide, nothing else is paid to this payee.",
    next: 'Find out which payout it paid. Link it to that payout, or resolve it with a note if it has nothing to do with you.',
  },
  amount: {
    label: 'Different amount',
    text: 'The provider paid another amount than we recorded.',
    next: "Compare both amounts with the provider's statement, correct the balance with an adjustment, then resolve this with a note.",
  },
  currency: {
    label: 'Different currency',
    text: 'The provider paid in another currency than we recorded.',
    next: "Compare the payment with the provider's statement, correct the balance with an adjustment, then resolve this with a note.",
  },
  state: {
    label: 'Different outcome',
    text: 'The provider says something else about how the payment ended than our books do.',
    next: 'Open the payout. If the money came back, report the return there and we confirm it with the provider; otherwise ask the provider, then resolve this with a note.',
  },
  twice: {
    label: 'Paid more than once',
    text: 'The provider lists more than one payment for a single payout.',
    next: 'Ask the provider or the payee to send the extra payment back, then resolve this with a note.',
  },
  fee: {
    label: 'Different fee',
    text: 'The provider charged another fee than we booked.',
    next: "Take the provider's fee for your books, then resolve this with a note.",
  },
  destination: {
    label: 'Paid to someone else',
    text: 'The provider lists another recipient than the one the payout was for.',
    next: 'Stop paying this affiliate until you know why. Ask the provider who was paid, then resolve this with a note.',
  },
  late: {
    label: 'Taking too long',
    text: 'The provider has had the payment for longer than it should, and still has not finished it.',
    next: 'Ask the provider what is holding the payment up. Resolve this with a note once you know.',
  },
  unknown_reference: {
    label: 'Wrong reference',
    text: "The provider lists the payment under a reference that belongs to none of this payout's attempts.",
    next: 'Check with the provider which payout the payment belongs to, then resolve this with a note.',
  },
};

/** Why a difference ended without a person. */
export const CLOSED_BY_COMPARISON = 'A later comparison no longer found this difference.';

/** Why nothing is paid. */
export const paymentsHeldBecause: Readonly<Record<PaymentsHoldCause, string>> = {
  operator: 'The admin of this server put all payments on hold.',
  failover: 'Another database server took over. Payments go on automatically once your books agree with your providers.',
  database_replaced: 'The database of this server was restored or replaced, so it may not know every payment that was made.',
  database_behind: 'The database of this server was restored from a backup, and payments may have been made since that backup.',
};

/** What it means for whoever pays. */
export const PAYMENTS_HELD =
  'Nothing is sent until the books have been compared with your payment providers, so that nobody is paid twice. Your affiliates keep earning, and nothing is lost.';
export const PAY_NOTHING_ELSEWHERE = "Don't pay anything outside of this system in the meantime.";
