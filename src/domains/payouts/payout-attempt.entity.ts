import { defineEntity, p } from '@mikro-orm/core';
import { ATTEMPT_OUTCOMES, type AttemptOutcome, type PayoutLimits, type ReviewReason } from '../../contracts/payouts.ts';
import type { Rail, RailFacts } from '../../contracts/rails.ts';
import type { ProviderRecord } from '../../contracts/workflows/payout-page.ts';
import {
  type Conversion,
  type ProviderFee,
  type ProviderWord,
  type Redacted,
  type References,
  type TransferRecord,
  toSafeCode,
} from './rails/answer.ts';
import { addsFee, withFees } from './rails/fees.rules.ts';

export const PayoutAttemptSchema = defineEntity({
  name: 'PayoutAttempt',
  tableName: 'payout_attempt',
  properties: {
    id: p.uuid().primary(),
    payoutId: p.uuid(),
    n: p.integer(),
    rail: p.text().$type<Rail>(),
    /** The version of the merchant's account that it was first sent with. Null: that of the installation, or none. */
    railAccountId: p.uuid().nullable(),
    idempotencyKey: p.text().onCreate((attempt) => attemptKey(attempt.payoutId, attempt.n)),
    outcome: p.enum(ATTEMPT_OUTCOMES).onCreate(() => 'created'),
    /** Number of sends, all under the same key. Incremented before the send. */
    sendCount: p.integer().default(0),
    /** Resends that used up one of the automatic ones. */
    resendCount: p.integer().default(0),
    railReference: p.text().nullable(),
    /** All ids that the provider or a bank gave it. Null: none. */
    railReferences: p.json<References>().nullable(),
    failureCode: p.text().nullable(),
    request: p.json<Redacted>().nullable(),
    response: p.json<Redacted>().nullable(),
    /** What the provider reported that it charged for the payment, and gave back of it. Minor units of the payout's currency. */
    fee: p.bigint('number').nullable(),
    feeReturned: p.bigint('number').default(0),
    /** The same in other currencies. Null: none. */
    otherFees: p.json<readonly ProviderFee[]>().nullable(),
    /** What the payee received where the provider converted the amount. Null: the amount itself. */
    conversion: p.json<Conversion>().nullable(),
    /** What the provider said last that the order is, in any way. */
    providerRecord: p.json<ProviderRecord>().nullable(),
    firstSentAt: p.datetime(3).nullable(),
    lastSentAt: p.datetime(3).nullable(),
    /** The order is not sent again before this time. Null when no resend may follow. */
    resendAt: p.datetime(3).nullable(),
    /** The last send was certainly not taken. */
    notTaken: p.boolean().default(false),
    /** A send before the last one may have been taken: nobody has said that it was not. */
    mayBeTaken: p.boolean().default(false),
    acceptedAt: p.datetime(3).nullable(),
    /** The provider's own word for where the transfer is, and since when. Null where it does not say. */
    railState: p.text().nullable(),
    railStateAt: p.datetime(3).nullable(),
    /** A notification says what only a look-up may decide. */
    lookUpRequested: p.boolean().default(false),
    /** When a person asked to have it cancelled at the provider, which has not decided. */
    cancelRequestedAt: p.datetime(3).nullable(),
    /** When the provider first reported that the money came back. It is booked once the attempt is recorded as paid. Null once it is booked. */
    returnRequestedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3).onCreate((attempt) => attempt.createdAt),
    /** Set by a trigger. */
    version: p.integer().default(1),
  },
});

/** Why an order that the provider never received is not sent again. `useless`: it would repeat its stored answer; time decides. */
type ResendBlock =
  | 'too_early'
  | 'useless'
  | Extract<ReviewReason, 'accepted_before' | 'never_sent' | 'resends_exhausted' | 'repeat_window_over'>;

/** One try to pay a payout on one rail, always under the same key. */
export class PayoutAttempt extends PayoutAttemptSchema.class {
  /** What the provider says is shown beside our record; nothing is decided by it. That it accepted what it then ended is old. */
  hear({ status, id, reason, record }: ProviderWord, at: Date): void {
    if (status === 'accepted' && ['paid', 'failed', 'returned'].includes(this.providerRecord?.status ?? '')) return;
    const { reference, amountMinor, currency } = record ?? {};
    this.providerRecord = {
      at: at.toISOString(),
      status,
      ...(id === null ? {} : { id: toSafeCode(id) }),
      ...(reason === null ? {} : { reason }),
      ...(reference === undefined ? {} : { reference: toSafeCode(reference) }),
      ...(amountMinor === undefined ? {} : { amountMinor }),
      ...(currency === undefined ? {} : { currency: toSafeCode(currency) }),
    };
  }

  addReferences(references: References): void {
    if (Object.keys(references).length > 0) this.railReferences = { ...this.railReferences, ...references };
  }

  hearFees({ fees, conversion }: Pick<TransferRecord, 'fees' | 'conversion'>, currency: string): void {
    if (addsFee(this, currency, fees)) Object.assign(this, withFees(this, currency, fees));
    if (conversion) this.conversion = conversion;
  }

  /** What happened before the last change of the state says nothing new. Returns whether the transfer came into another state. */
  enterState(state: string | undefined, at: Date): boolean {
    if (state === undefined || (this.railStateAt && at < this.railStateAt)) return false;
    const word = toSafeCode(state);
    if (word === this.railState) return false;
    this.railState = word;
    this.railStateAt = at;
    return true;
  }

  setOutcome(outcome: AttemptOutcome, now: Date): void {
    this.outcome = outcome;
    if (outcome === 'accepted') this.acceptedAt = now;
    this.resendAt = null;
    this.updatedAt = now;
  }

  /** Call before the request is sent: after a crash the order may or may not have been executed. */
  markSent(now: Date, { resendPausesMs }: PayoutLimits): void {
    if (this.sendCount > 0) this.resendCount += 1;
    if (this.sendCount > 0 && !this.notTaken) this.mayBeTaken = true;
    this.sendCount += 1;
    this.notTaken = false;
    this.response = null;
    this.outcome = 'unknown';
    this.firstSentAt ??= now;
    this.lastSentAt = now;
    this.planResend(resendPausesMs);
    this.updatedAt = now;
  }

  /** The provider reported the transfer although nothing was sent from here: a look-up may follow, and no send. */
  markKnown(now: Date): void {
    this.outcome = 'unknown';
    this.firstSentAt = now;
    this.updatedAt = now;
  }

  /**
   * The order was certainly not taken, so the send uses up no resend. Pauses double: a provider that limits its callers may do so
   * for hours. It asks for a wait itself with `retryAfterMs`. `send` is its number: only the latest counts.
   */
  markNotTaken(send: number, { resendPausesMs, maxNotTakenPauseMs }: PayoutLimits, retryAfterMs = 0): void {
    if (this.outcome !== 'unknown' || send !== this.sendCount) return;
    this.notTaken = true;
    if (send > 1) this.resendCount -= 1;
    const notTakenBefore = send - 1 - this.resendCount;
    const doubledMs = (resendPausesMs[0] ?? 0) * 2 ** notTakenBefore;
    this.planResend(resendPausesMs, Math.min(Math.max(doubledMs, retryAfterMs), maxNotTakenPauseMs));
  }

  private planResend(pausesMs: readonly number[], atLeastMs = 0): void {
    const pauseMs = pausesMs[this.resendCount];
    if (pauseMs === undefined || !this.lastSentAt) this.resendAt = null;
    else this.resendAt = new Date(this.lastSentAt.getTime() + Math.max(pauseMs, atLeastMs));
  }

  /** Null when the order may be sent again: it was never accepted, and the provider still remembers its key. */
  resendBlock(
    now: Date,
    facts: Pick<RailFacts, 'repeatWindowMs' | 'resendHelps'>,
    { sendLeaseMs }: PayoutLimits,
  ): ResendBlock | null {
    if (this.outcome !== 'unknown') return 'accepted_before';
    if (this.sendCount === 0) return 'never_sent';
    // Nothing was heard of a send whose process died: no answer is stored that a resend would repeat.
    if (!facts.resendHelps && !this.notTaken && this.response) return 'useless';
    const repeatWindowMs = facts.repeatWindowMs ?? 0;
    const age = (since: Date | null | undefined): number => now.getTime() - (since?.getTime() ?? 0);
    const isInside = age(this.firstSentAt) < WINDOW_SHARE * repeatWindowMs;
    if (this.resendAt && isInside) return now < this.resendAt ? 'too_early' : null;
    // The last send may still be on its way to the provider.
    if (age(this.lastSentAt) < 2 * sendLeaseMs) return 'too_early';
    return isInside ? 'resends_exhausted' : 'repeat_window_over';
  }

  /** Why the provider has been silent for too long, or null. `accepted` is the limit of where the transfer is. */
  silence(now: Date, limits: { maxUnknownMs: number; accepted: { maxMs: number; since: Date | null } }): ReviewReason | null {
    const isOver = (since: Date | null | undefined, maxMs: number) => since && now.getTime() - since.getTime() >= maxMs;
    if (this.outcome === 'unknown' && isOver(this.firstSentAt, limits.maxUnknownMs)) return 'unknown_too_long';
    const { maxMs, since } = limits.accepted;
    return this.outcome === 'accepted' && isOver(since, maxMs) ? 'accepted_too_long' : null;
  }
}

/** The share of the provider's repeat window that is used. */
const WINDOW_SHARE = 0.8;

/** Derived, never generated: every send of an attempt uses the same key. */
export const attemptKey = (payoutId: string, n: number): string => `payout-${payoutId}-${n}`;

/** Whether a key of a provider is one that `attemptKey` makes. */
export const isAttemptKey = (key: string): boolean => /^payout-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{1,5}$/.test(key);

PayoutAttemptSchema.setClass(PayoutAttempt);
