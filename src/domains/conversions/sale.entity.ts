import { defineEntity, p } from '@mikro-orm/core';
import type { AttributionMethod, SaleProvider, UnattributedReason } from '../../contracts/conversions.ts';
import { shareOf } from '../../platform/money.ts';
import type { AttributionRecord } from './attribution.ts';

export const SaleSchema = defineEntity({
  name: 'Sale',
  tableName: 'sale',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    provider: p.string().$type<SaleProvider>(),
    externalId: p.string(),
    payloadHash: p.string(),
    amount: p.bigint('number'),
    /** What the customer was charged, with tax. Null: the amount. */
    chargedGross: p.bigint('number').nullable(),
    refunded: p.bigint('number').default(0),
    currency: p.string(),
    customerId: p.string(),
    /** Keyed hash of the canonical email address: it can be compared but not read. */
    customerEmailDigest: p.string().nullable(),
    /** As `customerEmailDigest`, the same for all spellings of one mailbox. */
    customerCanonicalDigest: p.string().nullable(),
    customerEmailDomain: p.string().nullable(),
    subscriptionId: p.string().nullable(),
    stripeSessionId: p.string().nullable(),
    metadata: p.json().$type<Record<string, string>>().nullable(),
    affiliateId: p.uuid().nullable(),
    method: p.string().$type<AttributionMethod>().nullable(),
    /** The affiliate that the sale points to, credited or not: later payments of the customer follow it. */
    matchedAffiliateId: p.uuid().nullable(),
    matchedMethod: p.string().$type<AttributionMethod>().nullable(),
    /** Since when the sale's own evidence attributes its customer; null without own evidence. */
    attributedAt: p.datetime().nullable(),
    evidence: p.json().$type<AttributionRecord>().nullable(),
    /** Why no affiliate is credited, or no longer. */
    reason: p.string().$type<UnattributedReason>().nullable(),
    /** Since when a dispute is open. */
    disputedAt: p.datetime().nullable(),
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

  /** How much of the amount is refunded when `refunded` of what was charged is, both with tax. */
  refundedBase({ refundedGross, chargedGross }: { refundedGross: number; chargedGross: number | null }): number {
    const charged = chargedGross ?? this.chargedGross ?? this.amount;
    return shareOf(this.amount, Math.min(refundedGross, charged), charged);
  }
}

SaleSchema.setClass(Sale);
