import { defineEntity, p } from '@mikro-orm/core';
import type { SaleProvider } from '../../contracts/conversions.ts';

export const SaleRefundSchema = defineEntity({
  name: 'SaleRefund',
  tableName: 'sale_refund',
  properties: {
    id: p.uuid().primary(),
    programId: p.uuid(),
    provider: p.string().$type<SaleProvider>(),
    externalId: p.string(),
    externalSaleId: p.string(),
    payloadHash: p.string(),
    amount: p.bigint('number'),
    occurredAt: p.datetime(),
    createdAt: p.datetime(),
    appliedAt: p.datetime().nullable(),
  },
});

/** A refund of a sale. `appliedAt` is null while the sale has not been received. */
export class SaleRefund extends SaleRefundSchema.class {}

SaleRefundSchema.setClass(SaleRefund);
