import type { PayeeCheck } from '../../../contracts/bank-files.ts';
import type { RailStatus } from '../../../contracts/payouts.ts';
import type { Rail, RailFacts } from '../../../contracts/rails.ts';
import type { Fault } from './answer.ts';
import type { TransferOrder } from './transfer.ts';

export interface FileMeta {
  /** Names the file at the bank. */
  id: string;
  createdAt: Date;
  /** A day, as `2026-12-31`. */
  executionDate: string;
  /** Executed within seconds, where the bank of the merchant offers it. */
  isInstant: boolean;
}

export interface FileOrder extends TransferOrder {
  /** What the payee reads on the statement of the account. */
  text: string;
}

/** The name of a payee as a file has it. */
export interface SentName {
  name: string;
  /** It is not as the payee wrote it: the bank may say that the name does not match. */
  isChanged: boolean;
}

/** What a status file says about a payment, or about all of a file. */
export interface Verdict {
  /** `noted`: nothing follows for the payment. `needs_person`: a word that decides nothing by itself. */
  outcome: RailStatus | 'noted' | 'needs_person';
  /** The bank's own word. */
  state: string;
  fault: Fault | null;
  payeeCheck: PayeeCheck | null;
  /** The name of the account's owner, where a bank suggests it. */
  suggestedName: string | null;
}

export interface StatusLine extends Verdict {
  idempotencyKey: string;
}

/** What a bank says about one file. */
export interface StatusReport {
  /** The file that it is about. */
  fileId: string;
  /** About everything in the file that no line names; null when it says nothing. */
  whole: Verdict | null;
  lines: StatusLine[];
}

export interface StatusFile {
  kind: 'status';
  /** Id of the message; null when it has none. */
  id: string | null;
  reports: StatusReport[];
  /** Names in the message that are not ours or cannot be read. */
  unread: string[];
}

/** A movement of an account that its bank has booked. */
export interface Booking {
  /** The same in every statement that has the booking. */
  key: string;
  /** The bank's id of the entry, which may have several payments. */
  entryRef: string | null;
  /** A day. */
  bookedOn: string;
  direction: 'debit' | 'credit';
  /** Undoes another booking. */
  isReversal: boolean;
  /** The bank says that it is a payment which came back. */
  isReturn: boolean;
  amountMinor: number;
  currency: string;
  /** Our payment; null for one that is not ours, and for a sum of several. */
  idempotencyKey: string | null;
  /** Ids by which a sum names the file that it is of. */
  fileIds: string[];
  /** Why a payment came back. */
  reason: string | null;
}

export interface Balance {
  on: string;
  amountMinor: number;
  currency: string;
}

export interface Statement {
  /** The IBAN of the account. */
  account: string;
  id: string;
  /** Number of the statement at its bank, without gaps. Null for notifications, and when the bank does not count. */
  sequence: number | null;
  /** First and last day, as far as it says. */
  from: string | null;
  to: string | null;
  opening: Balance | null;
  closing: Balance | null;
  bookings: Booking[];
}

export interface StatementFile {
  kind: 'statement';
  id: string | null;
  statements: Statement[];
  /** Entries that cannot be read, by their number. */
  unread: string[];
}

/** A rail whose attempts are collected in a file that a bank executes. All of it is pure: the same input has the same result. */
export interface FileRail {
  readonly name: Rail;
  readonly kind: 'file';
  readonly facts: RailFacts;
  /** Payments of one file. */
  readonly maxOrders: number;
  /** Whether files of this account are executed within seconds. */
  readonly isInstant: boolean;
  /** Ends the name of each file, so that files of two accounts differ. */
  readonly tag: string;
  /** The account as its bank names it in statements. */
  readonly account: string;
  nameOf(order: Pick<TransferOrder, 'details'>): SentName;
  render(orders: readonly FileOrder[], meta: FileMeta): Uint8Array;
  /** Throws `UnreadableFile` for what is no status file or statement, with what is wrong in words. */
  read(bytes: Uint8Array): StatusFile | StatementFile;
}
