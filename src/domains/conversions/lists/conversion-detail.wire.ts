import { z } from 'zod';
import { ATTRIBUTION_RULES, EVIDENCE_RESULTS } from '../../../contracts/conversions.ts';
import { ACCOUNTS, TRANSFER_KINDS } from '../../../contracts/ledger.ts';
import { type Stored, toIso } from '../../../platform/database/sql.ts';
import { createdAt, currencyCode } from '../../../platform/http/fields.ts';
import { amountMinor, storedUuid, stringOrNull, timestamp, timestampOrNull } from '../../../platform/http/schemas.ts';
import type { AttributionRecord } from '../attribute/attribution.rules.ts';
import { type ConversionRow, conversionSchema, toConversion } from '../conversions.wire.ts';
import { saleSchema } from './sales.wire.ts';

const unusedEvidence = z
  .object({
    rule: z.enum(ATTRIBUTION_RULES).describe('Kind of evidence'),
    value: z.string().describe('The code or token as it was received'),
    result: z
      .enum(EVIDENCE_RESULTS)
      .describe('`not_needed`: stronger evidence decided. `no_match`: it leads to no affiliate, or is not valid at that time'),
  })
  .meta({ id: 'UnusedEvidence' });

const attribution = z
  .object({
    rule: z
      .enum(ATTRIBUTION_RULES)
      .nullable()
      .describe(
        'What decided: own evidence of the sale (`coupon`, `click`, `referral_code`), an earlier sale of the subscription or the customer, a sign-up (`identification`), or a person (`manual`)',
      ),
    attributedAt: timestampOrNull.describe('Since when the customer counts as attributed to the affiliate'),
    clickId: storedUuid.nullable().describe('The click; null if none decided'),
    linkId: storedUuid
      .nullable()
      .describe('The link of the click; null for the own code of the affiliate, or if no click decided'),
    couponId: storedUuid.nullable().describe('The coupon; null if none decided'),
    code: stringOrNull.describe('Coupon code or referral code that decided, or the code of the click; null for other rules'),
    identificationId: storedUuid.nullable().describe('The sign-up that the sale follows; null for other rules'),
    saleId: storedUuid.nullable().describe('The earlier sale that the sale follows; null for other rules'),
    note: stringOrNull.describe('Text of the person who decided; null for other rules'),
    decidedBy: stringOrNull.describe('Who decided manually: a key; null for other rules'),
    decidedAt: timestamp.describe('When it was decided'),
    unused: z.array(unusedEvidence).describe('Other evidence that came with the sale'),
    unusable: saleSchema.shape.unusable,
  })
  .meta({ id: 'Attribution' });

const ledgerEntry = z
  .object({
    transactionId: storedUuid.describe('Joins the entries of one transfer, which add up to zero'),
    kind: z.enum(TRANSFER_KINDS).describe('What the transfer was for'),
    account: z.enum(ACCOUNTS).describe('Account that the entry changes'),
    amount: amountMinor.describe('Change of the account; negative when money leaves it'),
    currency: currencyCode,
    createdAt,
  })
  .meta({ id: 'LedgerEntry' });

export type LedgerEntryRow = Stored<z.infer<typeof ledgerEntry>, 'createdAt'>;

export const conversionDetailSchema = conversionSchema
  .extend({
    saleId: storedUuid.describe('The sale, as returned by `GET /sales`'),
    payoutId: storedUuid.nullable().describe('Payout that includes the commission; null while none does'),
    approvedAt: timestampOrNull.describe('When the commission became payable; null before'),
    releaseAt: timestamp.describe('When the hold period ends'),
    occurredAt: saleSchema.shape.occurredAt,
    attribution: attribution.nullable().describe('What decided on the affiliate'),
    ledgerEntries: z.array(ledgerEntry).describe('Ledger entries of the commission, oldest first; at most 1,000'),
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
  attribution: row.evidence && { ...row.evidence, unusable: row.evidence.unusable ?? [] },
  ledgerEntries: entries.map((entry) => ({ ...entry, createdAt: toIso(entry.createdAt) })),
});
