import { defineEntity, p } from '@mikro-orm/core';
import type { SaleProvider } from '../../contracts/conversions.ts';

export const SaleRefundSchema = defineEntity({
  name: 'SaleRefund',
  tableName: 'sale_refund',
  properties: {
    id: p.uuid().primary(),
    programId: p.uuid(),
    provider: p.text().$type<SaleProvider>(),
    externalId: p.text(),
    externalSaleId: p.text(),
    payloadHash: p.text(),
    amount: p.bigint('number'),
    occurredAt: p.datetime(3),
    createdAt: p.datetime(3),
    appliedAt: p.datetime(3).nullable(),
    refusedAt: p.datetime(3).nullable(),
  },
});

/** A refund of a sale. It waits for the sale while it is neither applied nor, as one dated before the sale, refused. */
export class SaleRefund extends SaleRefundSchema.class {}

SaleRefundSchema.setClass(SaleRefund);
