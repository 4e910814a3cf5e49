import type { z } from 'zod';
import {
  type AttemptOutcome,
  type PayoutDetails,
  RAIL_STATUSES,
  type RailStatus,
  type ReviewReason,
} from '../../../contracts/payouts.ts';
import type { RailRefusal } from '../../../contracts/rail-refusals.ts';
import type { Rail } from '../../../contracts/rails.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { IncomingHeaders } from '../../../platform/crypto/standard-webhooks.ts';

/** What a rail's file exports. What it can do stands in `contracts/rails.ts`. */
export interface RailDefinition<Name extends Rail = Rail, Settings extends z.ZodObject = z.ZodObject> {
  name: Name;
  /** Environment variables of the rail. All of them are required once a payout method uses it. */
  configSchema: Settings;
  /** Why the rail refuses such an order, or null. Asks nobody: what the provider does not publish, it may still refuse. */
  canPay(order: PlannedTransfer): RailRefusal | null;
  /** Null when nothing is sent: a manual rail. */
  create(settings: z.output<Settings>, clock: Clock): PayoutRail | null;
}

/** One transfer to send. */
export interface TransferOrder {
  /** Belongs to the attempt and never changes: every send of the order carries the same key. */
  idempotencyKey: string;
  /** The payout id, as the provider displays it. */
  reference: string;
  amountMinor: number;
  currency: string;
  details: PayoutDetails;
}

/** A transfer that is not promised yet. */
export type PlannedTransfer = Pick<TransferOrder, 'amountMinor' | 'currency' | 'details'>;

/** A sent attempt, as a status look-up identifies it. The provider's record must agree in every field that it has. */
export interface SentAttempt extends Pick<TransferOrder, 'idempotencyKey' | 'reference' | 'amountMinor' | 'currency'> {
  /** The provider's id; null when no response ever named one. */
  railReference: string | null;
}

/** Stored with the attempt without encryption: ids, amounts, codes and last four characters only. */
export type Redacted = Readonly<Record<string, string | number | boolean | null>>;

/** What a provider says that a transfer is. */
export interface TransferRecord {
  reference: string;
  amountMinor: number;
  currency: string;
  /** What the provider charged for the payment beside the amount, in its currency. Absent where it does not say. */
  fee?: number;
  /** What it gave back of that. */
  feeReturned?: number;
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

interface Exchange {
  request: Redacted;
  response: Redacted;
  /** What a transfer in the response says. Absent when there is none. */
  word?: ProviderWord;
}

export type RailReviewReason = Extract<ReviewReason, 'key_reused' | 'record_mismatch' | 'status_unknown'>;

/**
 * Result of a send or a look-up. `unknown` covers everything uncertain (timeouts, resets, 5xx, 429, unreadable bodies):
 * the order may have been executed, and only a look-up may follow.
 */
export interface RailResult extends Exchange {
  outcome: Exclude<AttemptOutcome, 'created'>;
  railReference: string | null;
  /** The provider's own code, an open set. */
  failureCode: string | null;
  /** Stable code for why the outcome is unknown. Null for all other outcomes. */
  problem: string | null;
  /** Set when a look-up cannot help: the provider's record contradicts ours, or has a status we do not know. */
  needsReview: RailReviewReason | null;
  /** True when the provider said that it did not take the order: the send uses up none of the automatic resends. */
  notTaken?: true;
}

/** The provider has no order under this key. The order may still arrive, so only the same key may be sent again. */
export interface NeverReceived extends Exchange {
  outcome: 'never_received';
}

/** The provider's word on an attempt. */
export interface RailStatusUpdate {
  status: RailStatus;
  railReference: string | null;
  failureCode: string | null;
  /** When it happened, as the provider says. Absent: it does not say. */
  occurredAt?: Date;
}

/** A verified notification. Notifications may be repeated, late and out of order. */
export interface RailNotification {
  externalId: string;
  idempotencyKey: string;
  status: RailStatus;
  railReference: string;
  failureCode: string | null;
  /** Null when notifications of the rail do not say. */
  record: TransferRecord | null;
  occurredAt: Date;
}

/** A rail that sends attempts. */
export interface PayoutRail {
  readonly name: Rail;
  /** How long the provider guarantees not to execute a repeated key twice. */
  readonly repeatWindowMs: number;
  /** How long an accepted order may take before a person has to decide. */
  readonly maxAcceptedMs: number;
  /** Never throws, and ends by its deadline. Safe to repeat under the same key within `repeatWindowMs`. */
  submit(order: TransferOrder): Promise<RailResult>;
  /** Never throws, and ends by its deadline. Changes nothing. */
  lookUp(attempt: SentAttempt): Promise<RailResult | NeverReceived>;
  /**
   * All notifications of one request; empty when it is authentic but of an unknown type, which is acknowledged and
   * ignored. Throws UNAUTHORIZED without a current, valid signature, and BAD_REQUEST for a malformed body.
   */
  verifyNotification(headers: IncomingHeaders, rawBody: Uint8Array): Promise<RailNotification[]>;
  close(): Promise<void>;
}

export const isRailStatus = (status: string): status is RailStatus => (RAIL_STATUSES as readonly string[]).includes(status);

/** Codes are an open set, but free text is dropped: it may name the payee. */
export const toSafeCode = (text: string): string => (/^[A-Za-z0-9_.-]{1,100}$/.test(text) ? text : 'unreadable_code');

export const failedResult = (failureCode: string, { request, response }: Exchange): RailResult => ({
  outcome: 'failed',
  railReference: null,
  failureCode,
  problem: null,
  needsReview: null,
  request,
  response,
});

export const unknownResult = (problem: string, { request, response }: Exchange): RailResult => ({
  outcome: 'unknown',
  railReference: null,
  failureCode: null,
  problem,
  needsReview: null,
  request,
  response: { ...response, problem },
});

/** Unknown, and only a person can find out more. */
export const reviewResult = (reason: RailReviewReason, exchange: Exchange): RailResult => ({
  ...unknownResult(reason, exchange),
  ...(exchange.word ? { word: exchange.word } : {}),
  needsReview: reason,
});
