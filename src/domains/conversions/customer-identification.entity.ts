import { defineEntity, p } from '@mikro-orm/core';
import { ATTRIBUTION_METHODS, type SaleProvider } from '../../contracts/conversions.ts';
import type { AttributionRecord } from './attribute/attribution.rules.ts';
import type { SaleEvidence } from './record/sale-input.steps.ts';

/** As JSON. */
export type StoredEvidence = Omit<SaleEvidence, 'attributedAt'> & { attributedAt?: string };

/** A sign-up or trial that attributes a customer before the first sale. */
export const CustomerIdentificationSchema = defineEntity({
  name: 'CustomerIdentification',
  tableName: 'customer_identification',
  properties: {
    id: p.uuid().primary(),
    programId: p.uuid(),
    provider: p.text().$type<SaleProvider>(),
    customerId: p.text(),
    customerEmailDigest: p.text().nullable(),
    customerEmailDomain: p.text().nullable(),
    affiliateId: p.uuid(),
    method: p.enum(ATTRIBUTION_METHODS),
    attributedAt: p.datetime(3),
    evidence: p.json<AttributionRecord>(),
    payloadHash: p.text(),
    occurredAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
});

/** Evidence that was received before its sale. */
export const SaleEvidenceSchema = defineEntity({
  name: 'SaleEvidence',
  tableName: 'sale_evidence',
  properties: {
    programId: p.uuid().primary(),
    provider: p.text().$type<SaleProvider>().primary(),
    externalSaleId: p.text().primary(),
    evidence: p.json<StoredEvidence>(),
    createdAt: p.datetime(3),
  },
});
