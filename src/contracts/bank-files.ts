/** `making`: payments are being put into it, and nobody can download it. `discarding`: its payments are being failed. */
export const BANK_FILE_STATUSES = ['making', 'ready', 'discarding', 'discarded'] as const;
export type BankFileStatus = (typeof BANK_FILE_STATUSES)[number];

export const BANK_FILE_ACTIONS = ['download', 'discard'] as const;
export type BankFileAction = (typeof BANK_FILE_ACTIONS)[number];

/** Why nothing follows from a booking that names something of ours. */
export const BOOKING_PROBLEMS = ['unknown_payment', 'unknown_file', 'other_amount', 'no_reason'] as const;
export type BookingProblem = (typeof BOOKING_PROBLEMS)[number];

/** How a bank compared a payee's name with that of the account. */
export const PAYEE_CHECKS = ['match', 'close_match', 'no_match', 'not_applicable', 'not_completed', 'mismatches'] as const;
export type PayeeCheck = (typeof PAYEE_CHECKS)[number];

/** Bytes of a file of a bank. */
export const MAX_BANK_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Whether it has the form of the names of our files: day, number, account and four letters and digits. */
export const isFileName = (id: string): boolean => /^\d{8}-\d{6}-[A-Z]{2}[A-Z0-9]{4}-[0-9A-F]{4}$/.test(id);
