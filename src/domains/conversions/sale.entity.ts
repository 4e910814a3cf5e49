import { defineEntity, p } from '@mikro-orm/core';
import { ATTRIBUTION_METHODS, type SaleProvider, UNATTRIBUTED_REASONS } from '../../contracts/conversions.ts';
import { shareOf } from '../../platform/money.ts';
import type { AttributionRecord } from './attribute/attribution.rules.ts';

export const SaleSchema = defineEntity({
  name: 'Sale',
  tableName: 'sale',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    provider: p.text().$type<SaleProvider>(),
    externalId: p.text(),
    payloadHash: p.text(),
    amount: p.bigint('number'),
    /** What the customer was charged, with tax. Null: the amount. */
    chargedGross: p.bigint('number').nullable(),
    refunded: p.bigint('number').default(0),
    currency: p.text(),
    customerId: p.text(),
    /** Keyed hash of the canonical email address: it can be compared but not read. */
    customerEmailDigest: p.text().nullable(),
    /** As `customerEmailDigest`, the same for all spellings of one mailbox. */
    customerCanonicalDigest: p.text().nullable(),
    customerEmailDomain: p.text().nullable(),
    subscriptionId: p.text().nullable(),
    stripeSessionId: p.text().nullable(),
    metadata: p.json().$type<Record<string, string>>().nullable(),
    affiliateId: p.uuid().nullable(),
    method: p.enum(ATTRIBUTION_METHODS).nullable(),
    /** The affiliate that the sale points to, credited or not: later payments of the customer follow it. */
    matchedAffiliateId: p.uuid().nullable(),
    matchedMethod: p.enum(ATTRIBUTION_METHODS).nullable(),
    /** Since when the sale's own evidence attributes its customer; null without own evidence. */
    attributedAt: p.datetime(3).nullable(),
    evidence: p.json().$type<AttributionRecord>().nullable(),
    /** Why no affiliate is credited, or no longer. */
    reason: p.enum(UNATTRIBUTED_REASONS).nullable(),
    /** Since when a dispute is open. */
    disputedAt: p.datetime(3).nullable(),
    occurredAt: p.datetime(3),
    createdAt: p.datetime(3),
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
