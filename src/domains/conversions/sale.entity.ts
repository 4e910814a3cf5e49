import { defineEntity, p } from '@mikro-orm/core';
import type { AttributionMethod, UnattributedReason } from '../../contracts/conversions.ts';

const SaleSchema = defineEntity({
  name: 'Sale',
  tableName: 'sale',
  properties: {
    id: p.uuid().primary(),
    programId: p.uuid(),
    provider: p.string(),
    externalId: p.string(),
    payloadHash: p.string(),
    amount: p.bigint('number'),
    refunded: p.bigint('number').default(0),
    currency: p.string(),
    customerId: p.string(),
    /** Keyed hash of the canonical email address: it can be compared but not read. */
    customerEmailDigest: p.string().nullable(),
    customerEmailDomain: p.string().nullable(),
    subscriptionId: p.string().nullable(),
    affiliateId: p.uuid().nullable(),
    method: p.string().$type<AttributionMethod>().nullable(),
    /** The affiliate that the sale points to, credited or not: later payments of the customer follow it. */
    matchedAffiliateId: p.uuid().nullable(),
    matchedMethod: p.string().$type<AttributionMethod>().nullable(),
    /** Why no affiliate is credited, or no longer. */
    reason: p.string().$type<UnattributedReason>().nullable(),
    occurredAt: p.datetime(),
    createdAt: p.datetime(),
  },
});

/** One payment of a customer, attributed or not. Unique by program, provider and the provider's id. */
export class Sale extends SaleSchema.class {
  /** Minor units that are not refunded. */
  remaining(): number {
    return this.amount - this.refunded;
  }
}

SaleSchema.setClass(Sale);
