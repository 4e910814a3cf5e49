import { defineEntity, p } from '@mikro-orm/core';
import { DISPUTE_STATUSES, type SaleProvider } from '../../contracts/conversions.ts';

/** The largest total that was reported as refunded, also before the sale. */
export const SaleCumulativeRefundSchema = defineEntity({
  name: 'SaleCumulativeRefund',
  tableName: 'sale_cumulative_refund',
  properties: {
    programId: p.uuid().primary(),
    provider: p.text().$type<SaleProvider>().primary(),
    externalSaleId: p.text().primary(),
    /** Minor units with tax. */
    refundedGross: p.bigint('number'),
    chargedGross: p.bigint('number').nullable(),
    cause: p.enum(['refund', 'dispute']),
    occurredAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

export const SaleDisputeSchema = defineEntity({
  name: 'SaleDispute',
  tableName: 'sale_dispute',
  properties: {
    programId: p.uuid().primary(),
    provider: p.text().$type<SaleProvider>().primary(),
    disputeId: p.text().primary(),
    externalSaleId: p.text(),
    status: p.enum(DISPUTE_STATUSES),
    /** Minor units with tax. */
    disputedGross: p.bigint('number'),
    openedAt: p.datetime(3),
    closedAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});
