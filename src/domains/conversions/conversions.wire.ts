import { z } from 'zod';
import { ATTRIBUTION_METHODS, CONVERSION_STATUSES, PERIODS, REJECTION_REASONS } from '../../contracts/conversions.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { dateRangeQuery } from '../../platform/http/date-range.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, queryInteger, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';
import type { Sale } from './sale.entity.ts';
import { externalId, saleMetadata } from './sales.wire.ts';

export const conversionSchema = z
  .object({
    id: storedUuid,
    affiliateId: storedUuid,
    programId: storedUuid,
    amount: amountMinor,
    refundedAmount: amountMinor,
    commission: amountMinor,
    currency: z.string(),
    status: z.enum(CONVERSION_STATUSES),
    method: z.enum(ATTRIBUTION_METHODS),
    stripeSessionId: z.string().nullable(),
    externalSaleId: z.string(),
    customerId: z.string(),
    subscriptionId: z.string().nullable(),
    metadata: saleMetadata.nullable(),
    disputedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Conversion' });

export type ConversionView = z.infer<typeof conversionSchema>;

export const conversionEventSchema = conversionSchema
  .extend({ commissionAmount: amountMinor.meta({ description: 'Same as `commission`' }) })
  .meta({ id: 'ConversionEvent' });

export const conversionRefundedSchema = conversionEventSchema
  .extend({
    refundAmount: amountMinor.meta({ description: 'Zero when the commission was rejected' }),
    commissionReduction: amountMinor,
    reason: z.enum(REJECTION_REASONS).nullable().meta({ description: 'Why the commission was rejected; null for a refund' }),
  })
  .meta({ id: 'ConversionRefunded' });

const totals = {
  total: z.int(),
  pending: z.int(),
  approved: z.int(),
  held: z.int().meta({
    description:
      'Number of unpaid conversions, `pending` and `approved` ones among them, that are neither released nor paid for now: not screened yet, or held by a dispute or a flag',
  }),
  totalRevenue: amountMinor,
  totalCommissions: amountMinor,
};

/** The totals at the top are in `currency`, that of the most recent sale: amounts are never summed across currencies. */
export const conversionStatsSchema = z
  .object({ ...totals, currency: z.string().nullable(), byCurrency: z.array(z.object({ currency: z.string(), ...totals })) })
  .meta({ id: 'ConversionStats' });

export type ConversionStats = z.infer<typeof conversionStatsSchema>;

export const conversionListQuery = z.strictObject({
  programId: uuid.optional(),
  affiliateId: uuid.optional(),
  status: z.enum(CONVERSION_STATUSES).optional(),
  externalSaleId: externalId.optional(),
  ...dateRangeQuery,
  ...pageQuery,
});

export const recentQuery = z.strictObject({ limit: queryInteger(1, 20).default(10) });
export const statsQuery = z.strictObject({ programId: uuid.optional(), period: z.enum(PERIODS).default('all') });

type SaleField = 'externalSaleId' | 'customerId' | 'subscriptionId' | 'metadata';

/** A conversion as an entity or as a row. */
export type StoredConversion = Stored<Omit<ConversionView, 'refundedAmount' | SaleField>, 'createdAt' | 'disputedAt'> & {
  refunded: number;
};

/** A conversion with the fields of its sale. */
export type ConversionRow = StoredConversion & Pick<ConversionView, SaleField>;

export const toConversion = (conversion: ConversionRow): ConversionView => ({
  id: conversion.id,
  affiliateId: conversion.affiliateId,
  programId: conversion.programId,
  amount: conversion.amount,
  refundedAmount: conversion.refunded,
  commission: conversion.commission,
  currency: conversion.currency,
  status: conversion.status,
  method: conversion.method,
  stripeSessionId: conversion.stripeSessionId ?? null,
  externalSaleId: conversion.externalSaleId,
  customerId: conversion.customerId,
  subscriptionId: conversion.subscriptionId,
  metadata: conversion.metadata,
  disputedAt: toIsoOrNull(conversion.disputedAt),
  createdAt: toIso(conversion.createdAt),
});

/** What a conversion shows of its sale. */
export type SaleFields = Pick<Sale, 'externalId' | 'customerId' | 'subscriptionId' | 'metadata'>;

/** Event data: the conversion as REST returns it, with the commission also as `commissionAmount`. */
export const toConversionEvent = (conversion: StoredConversion, sale: SaleFields): z.infer<typeof conversionEventSchema> => ({
  ...toConversion({ ...conversion, ...saleFieldsOf(sale) }),
  commissionAmount: conversion.commission,
});

const saleFieldsOf = ({ externalId, customerId, subscriptionId, metadata }: SaleFields): Pick<ConversionView, SaleField> => ({
  externalSaleId: externalId,
  customerId,
  subscriptionId: subscriptionId ?? null,
  metadata: metadata ?? null,
});
