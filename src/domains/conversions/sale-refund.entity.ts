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
    reversedAt: p.datetime(3).nullable(),
  },
});

/** A refund that came to nothing, and was not received itself yet. */
export const SaleRefundReversalSchema = defineEntity({
  name: 'SaleRefundReversal',
  tableName: 'sale_refund_reversal',
  properties: {
    programId: p.uuid().primary(),
    provider: p.text().$type<SaleProvider>().primary(),
    externalId: p.text().primary(),
    externalSaleId: p.text(),
    createdAt: p.datetime(3),
  },
});

/** A refund of a sale. It waits for the sale while it is neither applied, nor reversed, nor refused as one dated before the sale. */
export class SaleRefund extends SaleRefundSchema.class {}

SaleRefundSchema.setClass(SaleRefund);
