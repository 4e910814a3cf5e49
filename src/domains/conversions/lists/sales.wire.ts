import { z } from 'zod';
import { UNATTRIBUTED_REASONS } from '../../../contracts/conversions.ts';
import { type Stored, toIso } from '../../../platform/database/sql.ts';
import { dateRangeQuery, inOrder } from '../../../platform/http/date-range.ts';
import { currencyCode, id, programFilter, programId } from '../../../platform/http/fields.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import {
  amountMinor,
  line,
  paragraph,
  queryBoolean,
  storedUuid,
  stringOrNull,
  timestamp,
  uuid,
  withTextsOf,
} from '../../../platform/http/schemas.ts';

/** A payment system's id of a sale, refund, customer or subscription. */
export const externalId = line(200);

export const unusableSchema = z
  .array(
    z
      .object({
        field: z.string().describe('Path of the field in `data`, for example `clickToken`'),
        value: stringOrNull.describe('The start of what was sent; null for an email address, or for what is not text'),
      })
      .meta({ id: 'UnusableField' }),
  )
  .describe(
    'Fields of the event that could not be used, for example a code that is too long. The sale is recorded without them. Empty if there are none',
  );

export const saleSchema = z
  .object({
    id,
    programId,
    externalSaleId: z.string().describe("Your payment system's id of the sale; as a filter, only what belongs to this sale"),
    amount: amountMinor.describe('Amount of the sale, before refunds'),
    refundedAmount: amountMinor.describe('Sum of the refunds of the sale'),
    currency: currencyCode,
    customerId: z.string().describe("Your payment system's id of the customer"),
    conversionId: storedUuid.nullable().describe('The conversion; null when nobody was credited'),
    reason: z.enum(UNATTRIBUTED_REASONS).nullable().describe('Why nobody is credited, or no longer; null when an affiliate is'),
    unusable: unusableSchema,
    occurredAt: timestamp.describe('When the customer paid'),
    createdAt: timestamp.describe('When the sale was recorded'),
  })
  .meta({ id: 'Sale' });

export type SaleView = z.infer<typeof saleSchema>;

export const saleListQuery = inOrder(
  z.strictObject(
    withTextsOf(saleSchema, {
      programId: programFilter,
      attributed: queryBoolean.optional().describe('true: only sales that are credited to an affiliate. false: only the others'),
      externalSaleId: externalId.optional(),
      ...dateRangeQuery,
      ...pageQuery,
    }),
  ),
);

export const attributeSaleBody = z.strictObject({
  affiliateId: uuid.describe("Affiliate to credit: a membership in the sale's program"),
  note: paragraph(1000).min(1).describe('Why you credit this affiliate; kept with the conversion'),
});

/** A sale as an entity or as a row. */
export type StoredSale = Stored<
  Omit<SaleView, 'externalSaleId' | 'refundedAmount' | 'conversionId' | 'unusable'>,
  'occurredAt' | 'createdAt'
> & {
  externalId: string;
  refunded: number;
  /** Null: nothing. */
  unusable?: readonly UnusableMember[] | null | undefined;
};

export const toSaleView = (sale: StoredSale, conversionId: string | null): SaleView => ({
  id: sale.id,
  programId: sale.programId,
  externalSaleId: sale.externalId,
  amount: sale.amount,
  refundedAmount: sale.refunded,
  currency: sale.currency,
  customerId: sale.customerId,
  conversionId,
  reason: sale.reason ?? null,
  unusable: [...(sale.unusable ?? [])],
  occurredAt: toIso(sale.occurredAt),
  createdAt: toIso(sale.createdAt),
});
