import { defineEntity, p } from '@mikro-orm/core';

/** A response that is repeated for the same `Idempotency-Key`; without one, a claim whose work has begun. */
export const IdempotencyRecordSchema = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  properties: {
    id: p.blob().$type<Buffer>().primary(),
    fingerprint: p.blob().$type<Buffer>(),
    status: p.integer().nullable(),
    body: p.text().nullable(),
    encrypted: p.boolean(),
    createdAt: p.datetime(3),
  },
});
