import { defineEntity, p } from '@mikro-orm/core';
import { type AttemptOutcome, canTransitionAttempt } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { Redacted } from './rails/rail.ts';

const PayoutAttemptSchema = defineEntity({
  name: 'PayoutAttempt',
  tableName: 'payout_attempt',
  properties: {
    id: p.uuid().primary(),
    payoutId: p.uuid(),
    n: p.integer(),
    rail: p.string().$type<Rail>(),
    idempotencyKey: p.string().onCreate((attempt) => attemptKey(attempt.payoutId, attempt.n)),
    outcome: p
      .string()
      .$type<AttemptOutcome>()
      .onCreate(() => 'created'),
    /** Number of sends, all under the same key. Incremented before the send. */
    sendCount: p.integer().onCreate(() => 0),
    /** Resends that used up one of the automatic ones. */
    resendCount: p.integer().onCreate(() => 0),
    railReference: p.string().nullable(),
    failureCode: p.string().nullable(),
    request: p.json<Redacted>().nullable(),
    response: p.json<Redacted>().nullable(),
    firstSentAt: p.datetime().nullable(),
    lastSentAt: p.datetime().nullable(),
    /** The order is not sent again before this time. Null when no resend may follow. */
    resendAt: p.datetime().nullable(),
    acceptedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime().onCreate((attempt) => attempt.createdAt),
  },
});

/** Why an order that the provider never received is not sent again. */
export type ResendBlock = 'accepted_before' | 'resends_exhausted' | 'repeat_window_over';

/** One try to pay a payout on one rail, always under the same key. */
export class PayoutAttempt extends PayoutAttemptSchema.class {
  /** The provider may know more than we do. */
  isOpen(): boolean {
    return this.outcome === 'unknown' || this.outcome === 'accepted';
  }

  /** Returns false, and changes nothing, when the outcome is stale. */
  applyOutcome(outcome: AttemptOutcome, now: Date): boolean {
    if (!canTransitionAttempt(this.outcome, outcome)) return false;
    this.outcome = outcome;
    this.updatedAt = now;
    return true;
  }

  /** Call before the request is sent: after a crash the order may or may not have been executed. */
  markSent(now: Date): void {
    this.outcome = 'unknown';
    this.sendCount += 1;
    this.firstSentAt ??= now;
    this.updatedAt = now;
  }

  /** Null when the order may be sent again: it was never accepted, and the provider still remembers its key. */
  resendBlock(now: Date, repeatWindowMs: number): ResendBlock | null {
    if (this.outcome !== 'unknown') return 'accepted_before';
    if (this.sendCount >= MAX_SENDS) return 'resends_exhausted';
    const isInside = this.firstSentAt && now.getTime() - this.firstSentAt.getTime() < WINDOW_SHARE * repeatWindowMs;
    return isInside ? null : 'repeat_window_over';
  }
}

const MAX_SENDS = 3;
/** The share of the provider's repeat window that is used. */
const WINDOW_SHARE = 0.8;

/** Derived, never generated: every send of an attempt uses the same key. */
const attemptKey = (payoutId: string, n: number): string => `payout-${payoutId}-${n}`;

PayoutAttemptSchema.setClass(PayoutAttempt);
