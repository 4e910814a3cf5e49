import { defineEntity, p } from '@mikro-orm/core';
import type { AttributionMethod, ConversionStatus } from '../../contracts/conversions.ts';
import { commissionOf, statusAfterRefund } from './commission.ts';

export const ConversionSchema = defineEntity({
  name: 'Conversion',
  tableName: 'conversion',
  properties: {
    id: p.uuid().primary(),
    saleId: p.uuid(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    /** Amounts are minor units of `currency`. */
    amount: p.bigint('number'),
    refunded: p.bigint('number').default(0),
    commission: p.bigint('number'),
    /** Reductions of `commission` made after a payout included it; adjustment items carry them. */
    adjusted: p.bigint('number').default(0),
    commissionPercent: p.decimal('number'),
    currency: p.string(),
    status: p.string().$type<ConversionStatus>().default('pending'),
    method: p.string().$type<AttributionMethod>(),
    stripeSessionId: p.string().nullable(),
    screenedAt: p.datetime().nullable(),
    releaseAt: p.datetime(),
    approvedAt: p.datetime().nullable(),
    /** As of the sale: while it is set, the commission is neither released nor paid. */
    disputedAt: p.datetime().nullable(),
    /** The release does not look at it while a flag or a block lasts. */
    heldBack: p.boolean().default(false),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** An attributed sale and its commission. */
export class Conversion extends ConversionSchema.class {
  /** Whether the hold period is over, the fraud rules have screened it, and no dispute holds it. */
  isDue(now: Date): boolean {
    const unapproved = this.status === 'pending' || this.status === 'partially_refunded';
    const isHeld = this.screenedAt === null || Boolean(this.disputedAt);
    return unapproved && this.approvedAt === null && !isHeld && this.releaseAt <= now;
  }

  /** The release looks at it anew. */
  setDispute(disputedAt: Date | null): void {
    this.disputedAt = disputedAt;
    this.heldBack = false;
  }

  /** A partially refunded conversion keeps its status; the remaining commission is approved. */
  approve(now: Date): void {
    this.approvedAt = now;
    if (this.status === 'pending') this.status = 'approved';
    this.updatedAt = now;
  }

  /** Returns the commission that is taken back, in minor units. */
  reject(now: Date): number {
    const reduction = this.commission;
    this.status = 'rejected';
    this.commission = 0;
    this.updatedAt = now;
    return reduction;
  }

  /** Returns by how much the refund reduces the commission, in minor units. */
  refund(amount: number, now: Date): number {
    this.refunded += amount;
    this.status = statusAfterRefund(this.status, this.amount, this.refunded);
    const remaining = this.status === 'rejected' ? 0 : commissionOf({ ...this, percent: this.commissionPercent });
    const reduction = this.commission - remaining;
    this.commission = remaining;
    this.updatedAt = now;
    return reduction;
  }
}

ConversionSchema.setClass(Conversion);
