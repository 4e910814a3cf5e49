import type { FaultClass } from '../../../contracts/faults.ts';
import { type AttemptOutcome, RAIL_STATUSES, type RailStatus, type ReviewReason } from '../../../contracts/payouts.ts';
import type { RecordedCall } from './recorded-calls.ts';

/** Stored with the attempt without encryption: ids, amounts, codes and last four characters only. */
export type Redacted = Readonly<Record<string, string | number | boolean | null>>;

/** Ids that a provider or bank gives to one payment. */
export const REFERENCE_KINDS = ['batch', 'item', 'transaction', 'file', 'booking'] as const;
export type References = Partial<Readonly<Record<(typeof REFERENCE_KINDS)[number], string>>>;

/** Minor units of its own currency, which may be another than that of the transfer. */
export interface ProviderFee {
  amountMinor: number;
  currency: string;
  /** What the provider gave back of it. Absent if nothing. */
  returnedMinor?: number;
}

export interface Conversion {
  amountMinor: number;
  currency: string;
}

/** What a provider says that a transfer is. */
export interface TransferRecord {
  reference: string;
  amountMinor: number;
  currency: string;
  /** What the provider charged for the payment in addition to the amount, at most one per currency. Absent where it does not say. */
  fees?: readonly ProviderFee[];
  /** What the payee received, where the provider converted the amount. */
  conversion?: Conversion;
}

/** What a provider says about an order, whatever follows from it. */
export interface ProviderWord {
  /** A status, `never_received`, or the provider's own word for one that is not supported. */
  status: string;
  /** The provider's id of the transfer. */
  id: string | null;
  reason: string | null;
  record: TransferRecord | null;
}

export interface Exchange {
  request: Redacted;
  response: Redacted;
  /** The calls themselves, which are stored encrypted. Absent where they are not kept. */
  evidence?: readonly RecordedCall[];
  /** What a transfer in the response says. Absent when there is none. */
  word?: ProviderWord;
}

/** Why an order was not executed, or came back. */
export interface Fault {
  /** Taken from the provider's own table; `unclear` for a code that is not in it. */
  class: FaultClass;
  /** The provider's own code, an open set. */
  code: string;
}

export type RailReviewReason = Extract<ReviewReason, 'blocked' | 'key_reused' | 'record_mismatch' | 'status_unknown'>;

/**
 * What a provider answers to a send or a look-up. `unknown` covers everything uncertain (timeouts, resets, 5xx, 429, unreadable bodies):
 * the order may have been executed, and only a look-up may follow.
 */
export interface Answer extends Exchange {
  outcome: Exclude<AttemptOutcome, 'created'>;
  /** The id by which the provider finds the transfer; null when it named none. */
  railReference: string | null;
  /** All its ids, that one among them. */
  references: References;
  /** Set for a payment that failed or came back, and for an order that was not taken because of the account. */
  fault: Fault | null;
  /** Stable code for why the outcome is unknown. Null for all other outcomes. */
  problem: string | null;
  /** Set when a look-up cannot help: the provider's record contradicts ours, or has a status we do not know. */
  needsReview: RailReviewReason | null;
  /** The provider said that it did not take the order: the send uses up none of the automatic resends. */
  notTaken?: {
    /** How long the provider asks to wait; 0 when it does not say. */
    retryAfterMs: number;
  };
  /** The provider's own word for where the transfer is. Picks how long it may stay there. */
  state?: string;
  /** The money came back before the payee had it: of an attempt that is not recorded as paid, that is a failure. */
  wasNeverPaid?: true;
}

/** The provider has no order under this key. The order may still arrive, so only the same key may be sent again. */
export interface NeverReceived extends Exchange {
  outcome: 'never_received';
  /** The provider cannot be asked about an order that it never confirmed, so it was not: it may have the order. */
  isAsked?: false;
}

export const isRailStatus = (status: string): status is RailStatus => (RAIL_STATUSES as readonly string[]).includes(status);

/** Codes are an open set, but free text is dropped: it may name the payee. */
export const toSafeCode = (text: string): string => (/^[A-Za-z0-9_.-]{1,100}$/.test(text) ? text : 'unreadable_code');

const NOTHING = { railReference: null, references: {}, fault: null, problem: null, needsReview: null } as const;

export const failedAnswer = (fault: Fault, { request, response }: Exchange): Answer => ({
  ...NOTHING,
  outcome: 'failed',
  fault,
  request,
  response,
});

export const unknownAnswer = (problem: string, { request, response }: Exchange): Answer => ({
  ...NOTHING,
  outcome: 'unknown',
  problem,
  request,
  response: { ...response, problem },
});

/** Certainly not executed. */
export const notTakenAnswer = (
  problem: string,
  exchange: Exchange,
  { retryAfterMs = 0, fault = null }: { retryAfterMs?: number; fault?: Fault | null } = {},
): Answer => ({ ...unknownAnswer(problem, exchange), notTaken: { retryAfterMs }, fault });

/** Unknown, and only a person can find out more. */
export const reviewAnswer = (reason: RailReviewReason, exchange: Exchange): Answer => ({
  ...unknownAnswer(reason, exchange),
  ...(exchange.word ? { word: exchange.word } : {}),
  needsReview: reason,
});
