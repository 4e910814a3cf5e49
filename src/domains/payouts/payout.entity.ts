import { defineEntity, p } from '@mikro-orm/core';
import type { PayoutMethod } from '../../contracts/affiliates.ts';
import { canResolve, canTransition, type FailureCode, type PayoutStatus, type ReviewReason } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import { conflict } from '../../platform/errors.ts';

export const PayoutSchema = defineEntity({
  name: 'Payout',
  tableName: 'payout',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    profileId: p.uuid(),
    amount: p.bigint('number'),
    currency: p.string(),
    status: p
      .string()
      .$type<PayoutStatus>()
      .onCreate(() => 'pending'),
    method: p.string().$type<PayoutMethod>(),
    rail: p.string().$type<Rail>(),
    /** Payout details, encrypted at creation: a later change does not redirect a payout in progress. Null after an erasure. */
    details: p.text().nullable(),
    notes: p.string().nullable(),
    retryOf: p.uuid().nullable(),
    needsAttention: p.boolean().onCreate(() => false),
    /** Null unless `needsAttention`. */
    reviewReason: p.string().$type<ReviewReason>().nullable(),
    failureCode: p.string().$type<FailureCode>().nullable(),
    /** The provider's own code for a failure or a return, an open set. */
    railReason: p.string().nullable(),
    createdBy: p.string(),
    createdAt: p.datetime(),
    processingAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    failedAt: p.datetime().nullable(),
    updatedAt: p.datetime().onCreate((payout) => payout.createdAt),
  },
});

/** Everything payable to one affiliate in one program at one moment, and the outcome of paying it. */
export class Payout extends PayoutSchema.class {
  isFinal(): boolean {
    return this.status === 'completed' || this.status === 'failed';
  }

  /** Throws ILLEGAL_TRANSITION when the state machine does not allow it. `resolves`: a contradiction is being resolved. */
  transitionTo(status: PayoutStatus, now: Date, resolves = false): void {
    if (!(resolves ? canResolve : canTransition)(this.status, status)) {
      throw conflict('ILLEGAL_TRANSITION', `A ${this.status} payout cannot become ${status}`, { from: this.status, to: status });
    }
    this.status = status;
    if (status === 'processing') this.processingAt = now;
    if (status === 'completed') this.completedAt = now;
    this.failedAt = status === 'failed' ? now : null;
    if (this.isFinal() && (resolves || this.reviewReason !== 'contradiction')) this.endReview(now);
    this.updatedAt = now;
  }

  /** A person has to decide from now on. */
  startReview(reason: ReviewReason, now: Date): void {
    this.needsAttention = true;
    this.reviewReason = reason;
    this.updatedAt = now;
  }

  endReview(now: Date): void {
    this.needsAttention = false;
    this.reviewReason = null;
    this.updatedAt = now;
  }
}

PayoutSchema.setClass(Payout);
