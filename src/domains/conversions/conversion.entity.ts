import { defineEntity, p } from '@mikro-orm/core';
import { ADJUSTMENT_KINDS, ATTRIBUTION_METHODS, CONVERSION_STATUSES } from '../../contracts/conversions.ts';
import { commissionOf, statusAfterRefund } from './record/commission.rules.ts';

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
    /** Reductions of `commission` made after a payout included it, less what was given back; adjustment items carry them. */
    adjusted: p.bigint('number').default(0),
    commissionPercent: p.decimal('number').precision(5).scale(2),
    currency: p.text(),
    status: p.enum(CONVERSION_STATUSES).onCreate(() => 'pending'),
    method: p.enum(ATTRIBUTION_METHODS),
    stripeSessionId: p.text().nullable(),
    screenedAt: p.datetime(3).nullable(),
    releaseAt: p.datetime(3),
    approvedAt: p.datetime(3).nullable(),
    /** Taken from the sale: while it is set, the commission is neither approved nor paid. */
    disputedAt: p.datetime(3).nullable(),
    /** No approval looks at it while a flag or a block lasts. */
    heldBack: p.boolean().default(false),
    /** The payout that has the commission as an active item. Null: in no payout, or only in payouts that failed. */
    includedIn: p.uuid().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
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

  /** The next approval looks at it anew. */
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
    return -changeRefunded(this, amount, now);
  }

  /** Returns by how much the commission grows, in minor units. The next approval looks at it anew. */
  reverseRefund(amount: number, now: Date): number {
    this.heldBack = false;
    return changeRefunded(this, -amount, now);
  }
}

/** Returns by how much the commission changes, in minor units. */
const changeRefunded = (conversion: Conversion, by: number, now: Date): number => {
  conversion.refunded += by;
  const { amount, refunded, commissionPercent: percent, approvedAt } = conversion;
  conversion.status = statusAfterRefund(conversion.status, amount, refunded, approvedAt !== null);
  const commission = conversion.status === 'rejected' ? 0 : commissionOf({ amount, refunded, percent });
  const change = commission - conversion.commission;
  conversion.commission = commission;
  conversion.updatedAt = now;
  return change;
};

ConversionSchema.setClass(Conversion);

/** Made for a refund after payment, or for a payout that was paid although its items are in another. A manual one has a kind. */
export const CommissionAdjustmentSchema = defineEntity({
  name: 'CommissionAdjustment',
  tableName: 'commission_adjustment',
  properties: {
    id: p.uuid().primary(),
    affiliateId: p.uuid(),
    conversionId: p.uuid().nullable(),
    payoutId: p.uuid().nullable(),
    kind: p.enum(ADJUSTMENT_KINDS).nullable(),
    /** Minor units. */
    amount: p.bigint('number'),
    note: p.text().nullable(),
    createdBy: p.text().nullable(),
    /** Set for an adjustment that a second actor had to approve: it is payable from then on. */
    approvedBy: p.text().nullable(),
    approvedAt: p.datetime(3).nullable(),
    /** The payout that has it as an active item. */
    includedIn: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
});
