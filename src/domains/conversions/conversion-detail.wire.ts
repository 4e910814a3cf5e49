import { z } from 'zod';
import { ATTRIBUTION_RULES, EVIDENCE_RESULTS } from '../../contracts/conversions.ts';
import { ACCOUNTS, TRANSFER_KINDS } from '../../contracts/ledger.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { amountMinor, storedUuid, timestamp } from '../../platform/http/schemas.ts';
import type { AttributionRecord } from './attribution.ts';
import { type ConversionRow, conversionSchema, toConversion } from './conversions.wire.ts';

const unusedEvidence = z
  .object({ rule: z.enum(ATTRIBUTION_RULES), value: z.string(), result: z.enum(EVIDENCE_RESULTS) })
  .meta({ id: 'UnusedEvidence' });

const attribution = z
  .object({
    rule: z.enum(ATTRIBUTION_RULES).nullable(),
    attributedAt: timestamp.nullable(),
    clickId: storedUuid.nullable(),
    linkId: storedUuid.nullable(),
    couponId: storedUuid.nullable(),
    code: z.string().nullable(),
    identificationId: storedUuid.nullable(),
    saleId: storedUuid.nullable(),
    note: z.string().nullable(),
    decidedBy: z.string().nullable(),
    decidedAt: timestamp,
    unused: z.array(unusedEvidence),
  })
  .meta({ id: 'Attribution' });

const ledgerEntry = z
  .object({
    transactionId: storedUuid,
    kind: z.enum(TRANSFER_KINDS),
    account: z.enum(ACCOUNTS),
    amount: amountMinor,
    currency: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'LedgerEntry' });

export type LedgerEntryRow = Stored<z.infer<typeof ledgerEntry>, 'createdAt'>;

export const conversionDetailSchema = conversionSchema
  .extend({
    saleId: storedUuid,
    payoutId: storedUuid.nullable(),
    approvedAt: timestamp.nullable(),
    releaseAt: timestamp,
    occurredAt: timestamp,
    attribution: attribution.nullable(),
    ledgerEntries: z.array(ledgerEntry),
  })
  .meta({ id: 'ConversionDetail' });

export type ConversionDetail = z.infer<typeof conversionDetailSchema>;

/** A conversion with its sale's evidence, before its ledger entries. */
export interface ConversionDetailRow extends ConversionRow {
  saleId: string;
  payoutId: string | null;
  approvedAt: string | null;
  releaseAt: string;
  occurredAt: string;
  evidence: AttributionRecord | null;
}

export const toConversionDetail = (row: ConversionDetailRow, entries: readonly LedgerEntryRow[]): ConversionDetail => ({
  ...toConversion(row),
  saleId: row.saleId,
  payoutId: row.payoutId,
  approvedAt: row.approvedAt === null ? null : toIso(row.approvedAt),
  releaseAt: toIso(row.releaseAt),
  occurredAt: toIso(row.occurredAt),
  attribution: row.evidence,
  ledgerEntries: entries.map((entry) => ({ ...entry, createdAt: toIso(entry.createdAt) })),
});
