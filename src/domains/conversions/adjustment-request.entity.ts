import { defineEntity, p } from '@mikro-orm/core';
import { ADJUSTMENT_KINDS, ADJUSTMENT_STATUSES, type AdjustmentStatus } from '../../contracts/conversions.ts';
import { conflict } from '../../platform/errors.ts';

export const AdjustmentRequestSchema = defineEntity({
  name: 'AdjustmentRequest',
  tableName: 'adjustment_request',
  properties: {
    /** That of the adjustment once it is booked. */
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    kind: p.enum(ADJUSTMENT_KINDS),
    /** Minor units. */
    amount: p.bigint('number'),
    currency: p.text(),
    note: p.text(),
    status: p.enum(ADJUSTMENT_STATUSES).onCreate(() => 'awaiting_approval'),
    /** Mails that reminded of it. */
    approvalReminders: p.integer().default(0),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    decidedBy: p.text().nullable(),
    decidedAt: p.datetime(3).nullable(),
  },
});

/** An adjustment that a second actor has to approve. */
export class AdjustmentRequest extends AdjustmentRequestSchema.class {
  /** Throws ALREADY_DECIDED. */
  assertWaiting(): void {
    if (this.status !== 'awaiting_approval')
      throw conflict('ALREADY_DECIDED', `The adjustment is ${this.status} already`, { status: this.status });
  }

  decide(status: Exclude<AdjustmentStatus, 'awaiting_approval'>, by: string, at: Date): void {
    this.assertWaiting();
    Object.assign(this, { status, decidedBy: by, decidedAt: at });
  }
}

AdjustmentRequestSchema.setClass(AdjustmentRequest);
