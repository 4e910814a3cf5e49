import type { BookingProblem, PayeeCheck } from '../contracts/bank-files.ts';
import type { RailRefusal } from '../contracts/rail-refusals.ts';
import type { StateText } from './catalogue.ts';

/** Where a bank file is, as a finance person sees it. */
export const BANK_FILE_STATES = [
  'making',
  'to_download',
  'to_upload',
  'handed_over',
  'to_authorize',
  'accepted',
  'settled',
  'rejected',
  'discarding',
  'discarded',
] as const;
export type BankFileState = (typeof BANK_FILE_STATES)[number];

interface NextText extends StateText {
  /** What to do; null: nothing. */
  next: string | null;
}

export const bankFileForMerchant: Readonly<Record<BankFileState, NextText>> = {
  making: {
    label: 'Being made',
    text: 'Payments are still being added to it.',
    next: 'Reload the page. If nothing changes within a few minutes, make a bank file again: that finishes this one first.',
  },
  to_download: {
    label: 'To download',
    text: 'The file is ready, and nobody has downloaded it yet.',
    next: 'Download the file, then upload it in your online banking and authorize it there.',
  },
  to_upload: {
    label: 'Waiting for the bank',
    text: "The file was downloaded. Your bank hasn't reported anything about it yet.",
    next: "Upload the file in your online banking and authorize it there. Then upload the bank's status file or account statement under Bank files.",
  },
  handed_over: {
    label: 'Waiting for the bank',
    text: "The file was handed to the program that carries files to your bank. The bank hasn't reported anything about it yet.",
    next: "Authorize the file at your bank if it asks you to. If the bank's files don't come back automatically, upload them under Bank files.",
  },
  to_authorize: {
    label: 'Check the payees',
    text: "Your bank compared the payees' names with their accounts, and some don't match.",
    next: 'Check the payees below. Then authorize the whole file at your bank, or cancel it there and discard it here.',
  },
  accepted: {
    label: 'Accepted by the bank',
    text: "Your bank has accepted the file and hasn't booked all of it yet.",
    next: "Upload your bank's account statement under Bank files once the payments are booked.",
  },
  settled: { label: 'Done', text: 'Every payment in it is booked, rejected or returned.', next: null },
  rejected: {
    label: 'Rejected by the bank',
    text: 'Your bank rejected the whole file and paid nothing from it. Its amounts are payable again.',
    next: "Don't upload this file again. Find the reason below, and ask your bank how to fix it. Then retry the payouts or start a new payout run, and make a new bank file.",
  },
  discarding: {
    label: 'Being discarded',
    text: 'Its payouts are being released, and some are left.',
    next: 'Discard the file again to finish.',
  },
  discarded: { label: 'Discarded', text: 'No bank executes it. Its amounts are payable again.', next: null },
};

/** What became of a payment of a file. */
export const filedPaymentForMerchant = {
  open: 'Not reported yet',
  accepted: 'Accepted, not booked yet',
  paid: 'Paid',
  failed: 'Not paid',
  returned: 'Returned',
} as const;

export const payeeCheckForMerchant: Readonly<Record<PayeeCheck, string>> = {
  match: 'The name matches the account',
  close_match: 'The name almost matches the account',
  no_match: "The name doesn't match the account",
  not_applicable: "The bank can't compare the name",
  not_completed: "The bank hasn't finished comparing the name",
  mismatches: "Some names don't match",
};

/** Statuses of ISO 20022 that banks report. */
const STATES: Readonly<Record<string, string>> = {
  RCVD: 'Received',
  PDNG: 'Pending',
  PART: 'Partly accepted',
  RCVC: 'Payee verified',
  RVMC: 'Payee almost matches',
  RVNM: "Payee doesn't match",
  RVNA: "Payee can't be verified",
  RVNC: 'Payee not verified yet',
  RVCM: "Some payees don't match",
  ACTC: 'Accepted after a technical check',
  ACFC: 'Accepted, the account has enough money',
  ACCP: 'Accepted after a check of your account',
  ACWC: 'Accepted with a change',
  ACWP: "Accepted, not credited to the payee's account yet",
  ACSP: 'Accepted, being settled',
  ACPD: 'Accepted, waiting for settlement',
  PATC: 'Authorized in part',
  ACFW: "Accepted, forwarded to the payee's bank",
  ACSC: 'Left your account',
  ACCC: "Arrived at the payee's account",
  BLCK: 'Blocked by the bank',
  CANC: 'Cancelled',
  RJCT: 'Rejected',
  BOOK: 'Booked',
  RTRN: 'Returned',
};

/** Reasons of ISO 20022 why banks reject payments or send them back. */
const REASONS: Readonly<Record<string, string>> = {
  AB05: "The payee's bank didn't answer in time",
  AB06: "The payee's bank didn't answer in time",
  AB07: "The payee's bank can't be reached",
  AB08: "The payee's bank isn't available",
  AB09: "The payee's bank had an error",
  AB10: 'A bank in between had an error',
  AC01: "The payee's account number is wrong",
  AC02: 'Your account number is wrong',
  AC03: "The payee's account number is wrong",
  AC04: "The payee's account is closed",
  AC05: 'Your account is closed',
  AC06: "The payee's account is blocked",
  AC07: "The payee's account is closed",
  AC13: "Your account can't be used for credit transfers",
  AC14: "The payee's account can't receive credit transfers",
  AG01: "The payee's account can't receive credit transfers",
  AM04: "There isn't enough money in your account",
  AM05: 'The bank has already executed this payment',
  AM07: 'The amount is blocked by an authority',
  AM10: "The file's total is wrong",
  AM14: "The amount is above your account's limit",
  AM21: "The amount is above your account's limit",
  BE01: "The payee's name doesn't match the account",
  BE05: "The bank doesn't know who sent the file",
  BE06: "The payee isn't known at the bank",
  BE22: "The payee's name is missing",
  CANC: 'The payment was cancelled',
  CH16: "The bank can't read the file's content",
  CNOR: "The payee's bank isn't reachable by SEPA",
  CUST: 'Sent back on request of a customer',
  DNOR: "Your bank isn't reachable by SEPA",
  DS02: 'Someone cancelled the file at the bank',
  DS0A: "The file's signature is missing or wrong",
  DT01: 'The execution date is wrong',
  DU01: 'The bank already has a file of this name',
  DU02: 'The bank already has this batch',
  DU03: 'The bank already has this payment',
  DU04: 'The bank already has this payment',
  DU05: 'The bank already has this payment',
  ED05: "The payment couldn't be settled between the banks",
  FF01: "The bank can't read the file's format",
  FOCR: 'Sent back after a recall',
  FRAD: 'The bank suspects fraud',
  MD07: 'The payee has died',
  MS02: "The payee's side refused it and gives no reason",
  MS03: 'The bank refused it and gives no reason',
  NARR: 'The bank gives no reason',
  NOAS: "The payee didn't answer",
  RC01: "The payee's bank code is wrong",
  RC03: 'Your bank code is wrong',
  RC04: "The payee's bank code is wrong",
  RJCT: 'The bank gives no reason',
  RR01: 'Details about your account are missing',
  RR02: 'Your name or address is missing',
  RR03: "The payee's name or address is missing",
  RR04: 'Refused for legal reasons',
  SL11: 'The payee may not be paid from this account',
  SL12: 'The payee may not be paid from this account',
  TD03: "The file's format is wrong",
  TM01: 'The file came too late in the day',
};

/** "The payee's account is closed (AC04)"; a code that no list has stands alone. */
const inWords = (words: Readonly<Record<string, string>>, code: string): string => {
  const known = code.toUpperCase();
  return Object.hasOwn(words, known) ? `${words[known]} (${known})` : `The bank says ${known}`;
};

export const bankStateText = (code: string): string => inWords(STATES, code);
export const bankReasonText = (code: string): string => inWords(REASONS, code);

export interface ProblemText {
  text: string;
  next: string;
}

/** Bookings that name something of ours, and from which nothing follows. */
export const bookingProblemForMerchant: Readonly<Record<BookingProblem, ProblemText>> = {
  unknown_payment: {
    text: 'It carries an ID like those of our payments, and no payout here has it.',
    next: 'Was this server restored from a backup, or does another server use the same account? Search for the payee in the statement, then ask whoever runs the server.',
  },
  unknown_file: {
    text: 'It is the sum of a bank file that this server never made.',
    next: 'Was this server restored from a backup, or does another server use the same account? Ask whoever runs the server.',
  },
  other_amount: {
    text: 'The bank booked another amount than the payout or the file has.',
    next: 'Compare the booking with the bank file. Ask your bank, then record the outcome on the page of each payout.',
  },
  no_reason: {
    text: "Money with the ID of a payout came in, and the bank doesn't say that it's a return.",
    next: "Open the payout. If the payment came back, report the return there; if it's something else, nothing has to be done.",
  },
};

/** What a bank's message names and was not applied, by its code. */
const UNMATCHED: Readonly<Record<string, ProblemText>> = {
  ...bookingProblemForMerchant,
  unknown_payment: {
    text: 'A payment that no bank file here has',
    next: 'Check that the file belongs to this company. See the unmatched bookings.',
  },
  unknown_file: { text: 'A bank file that was not made here', next: 'Check that the file belongs to this company.' },
  other_account: {
    text: "A bank account that isn't connected here",
    next: 'Nothing to do if you pay nobody from this account.',
  },
  unreadable: { text: "An entry that can't be read", next: 'Ask your bank for the statement in camt.053 version 08.' },
};

/** `why` is a code of an open set, such as that of an error. */
export const unmatchedText = (why: string): ProblemText =>
  (Object.hasOwn(UNMATCHED, why) ? UNMATCHED[why] : undefined) ?? {
    text: "A payout that couldn't be changed",
    next: 'Open the payouts of the bank file, then upload the file again.',
  };

/** Why a bank account cannot pay somebody. */
export const cannotPayForMerchant: Readonly<Record<RailRefusal, string>> = {
  currency: 'SEPA pays euro only',
  decimals: 'The amount has too many decimals',
  country: "The payee's bank is in a country that needs your address, or the payee's BIC",
  above_limit: 'The amount is above the limit of SEPA',
  no_account: 'No bank account is connected',
  account_held: 'The bank refuses payments from your account',
  destination: "The payee's account or name can't be used",
};
