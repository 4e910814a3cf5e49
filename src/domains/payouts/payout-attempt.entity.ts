import { defineEntity, p } from '@mikro-orm/core';
import { type AttemptOutcome, canTransitionAttempt, type Rail } from '../../contracts/payouts.ts';
import type { Redacted } from './rails/rail.ts';

const PayoutAttemptSchema = defineEntity({
  name: 'PayoutAttempt',
  tableName: 'payout_attempt',
  properties: {
    id: p.uuid().primary(),
    payoutId: p.uuid(),
    n: p.integer(),
    rail: p.string().$type<Rail>(),
    idempotencyKey: p.string(),
    outcome: p.string().$type<AttemptOutcome>(),
    /** How often it was sent, always under the same key. Counted before the sending. */
    sendCount: p.integer(),
    railReference: p.string().nullable(),
    failureCode: p.string().nullable(),
    request: p.json<Redacted>().nullable(),
    response: p.json<Redacted>().nullable(),
    firstSentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One try to pay a payout on one rail, under one key for ever. */
export class PayoutAttempt extends PayoutAttemptSchema.class {
  /** The rail may know more than we do. */
  isOpen(): boolean {
    return this.outcome === 'unknown' || this.outcome === 'accepted';
  }

  /** False when the fact is old news: it is recorded elsewhere and changes nothing here. */
  applyOutcome(outcome: AttemptOutcome, now: Date): boolean {
    if (!canTransitionAttempt(this.outcome, outcome)) return false;
    this.outcome = outcome;
    this.updatedAt = now;
    return true;
  }

  /** Before the request leaves: from here on a crash means that nobody knows whether it was executed. */
  markSent(now: Date): void {
    this.outcome = 'unknown';
    this.sendCount += 1;
    this.firstSentAt ??= now;
    this.updatedAt = now;
  }

  /** The same order may be repeated only while the rail surely remembers its key. */
  canResend(now: Date, repeatWindowMs: number): boolean {
    if (this.sendCount >= MAX_SENDS || !this.firstSentAt) return false;
    return now.getTime() - this.firstSentAt.getTime() < SAFE_PART * repeatWindowMs;
  }
}

const MAX_SENDS = 3;
const SAFE_PART = 0.8;

PayoutAttemptSchema.setClass(PayoutAttempt);

/** Derived, never drawn: whoever sends this attempt, and whenever, sends it under this key. */
export const attemptKey = (payoutId: string, n: number): string => `payout-${payoutId}-${n}`;
