import type { AttemptOutcome, PayoutDetails, Rail, RailStatus } from '../../../contracts/payouts.ts';
import type { IncomingHeaders } from '../../../platform/crypto/standard-webhooks.ts';

/** One attempt, as a rail needs to know it. */
export interface TransferOrder {
  /** The attempt's own and for ever the same: a repeat of the same order must carry the same key. */
  idempotencyKey: string;
  /** The payout's id: what the provider shows on its side. */
  reference: string;
  amountMinor: number;
  currency: string;
  details: PayoutDetails;
}

/** Kept beside the attempt for ever, so: ids, amounts, codes and last four characters; no address, no account. */
export type Redacted = Readonly<Record<string, string | number | boolean | null>>;

interface Exchange {
  request: Redacted;
  response: Redacted;
}

/**
 * What is certain about an order. `unknown` is everything else (time-outs, resets, 5xx, 429, bodies that cannot be
 * read): it may have been executed, and only a look-up may follow it.
 */
export interface RailResult extends Exchange {
  outcome: Exclude<AttemptOutcome, 'created'>;
  railReference: string | null;
  /** The rail's own word, an open set. */
  failureCode: string | null;
  /** Why the outcome is unknown: a stable word for the timeline. Null for all other outcomes. */
  problem: string | null;
  /** True when asking again cannot help: the rail's record contradicts ours, or says what we do not know. */
  needsPerson: boolean;
}

/** Certain as of now: the rail has no order under this key. It may still be on its way, so only the same key may follow. */
export interface NeverReceived extends Exchange {
  outcome: 'never_received';
}

/** A rail's notification, proven to be the rail's. It may come twice, late and out of order. */
export interface RailNotification {
  externalId: string;
  idempotencyKey: string;
  status: RailStatus;
  railReference: string;
  failureCode: string | null;
  occurredAt: Date;
}

export interface PayoutRail {
  readonly name: Rail;
  /** A person pays and says so; nothing is ever sent. */
  readonly byHand: boolean;
  /** How long the rail promises not to execute a repeated key twice; 0 when an order must never be sent again. */
  readonly repeatWindowMs: number;
  /** Never throws and never outlasts its deadline. Safe to repeat under the same key inside `repeatWindowMs`. */
  submit(order: TransferOrder): Promise<RailResult>;
  /** Never throws and never outlasts its deadline. Changes nothing. */
  lookUp(idempotencyKey: string): Promise<RailResult | NeverReceived>;
  /**
   * Refuses with UNAUTHORIZED what the rail did not sign now, and with BAD_REQUEST what is not in shape. Null for a
   * genuine notification of a kind we do not know: to be answered with 2xx and forgotten.
   */
  verifyNotification(headers: IncomingHeaders, rawBody: Uint8Array): RailNotification | null;
  close(): Promise<void>;
}
