import { defineEntity, p } from '@mikro-orm/core';
import type { AttributionMethod, ConversionStatus } from '../../contracts/conversions.ts';
import { commissionOf, statusAfterRefund } from './commission.ts';

const ConversionSchema = defineEntity({
  name: 'Conversion',
  tableName: 'conversion',
  properties: {
    id: p.uuid().primary(),
    saleId: p.uuid(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    amount: p.bigint('number'),
    refunded: p.bigint('number'),
    commission: p.bigint('number'),
    adjusted: p.bigint('number'),
    commissionPercent: p.decimal('number'),
    currency: p.string(),
    status: p.string().$type<ConversionStatus>(),
    method: p.string().$type<AttributionMethod>(),
    stripeSessionId: p.string().nullable(),
    screenedAt: p.datetime().nullable(),
    releaseAt: p.datetime(),
    approvedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** An attributed sale and its commission. */
export class Conversion extends ConversionSchema.class {
  /** Held until its day and until the fraud rules have seen it. */
  isDue(now: Date): boolean {
    const waits = this.status === 'pending' || this.status === 'partially_refunded';
    return waits && this.approvedAt === null && this.screenedAt !== null && this.releaseAt <= now;
  }

  /** A partly refunded commission keeps its status: what was approved is what is left of it. */
  approve(now: Date): void {
    this.approvedAt = now;
    if (this.status === 'pending') this.status = 'approved';
    this.updatedAt = now;
  }

  /** Takes the refund in and returns by how much the commission shrank. */
  refund(amount: number, now: Date): number {
    this.refunded += amount;
    this.status = statusAfterRefund(this.status, this.amount, this.refunded);
    const left = this.status === 'rejected' ? 0 : commissionOf({ ...this, percent: this.commissionPercent });
    const taken = this.commission - left;
    this.commission = left;
    this.updatedAt = now;
    return taken;
  }
}

ConversionSchema.setClass(Conversion);
