import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  ATTRIBUTION_METHODS,
  CONVERSION_STATUSES,
  PERIODS,
  REJECTION_REASONS,
  SALE_EVENT_TYPES,
} from '../../contracts/conversions.ts';
import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { dateRangeQuery } from '../../platform/http/date-range.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  currency,
  instant,
  line,
  positiveAmount,
  queryInteger,
  timestamp,
  uuid,
} from '../../platform/http/schemas.ts';
import type { NewRefund, NewSale } from './sale-input.ts';

export const conversionSchema = z
  .object({
    id: uuid,
    affiliateId: uuid,
    programId: uuid,
    amount: amountMinor,
    refundedAmount: amountMinor,
    commission: amountMinor,
    currency: z.string(),
    status: z.enum(CONVERSION_STATUSES),
    method: z.enum(ATTRIBUTION_METHODS),
    stripeSessionId: z.string().nullable(),
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
  ...dateRangeQuery,
  ...pageQuery,
});

export const recentQuery = z.strictObject({ limit: queryInteger(1, 20).default(10) });
export const statsQuery = z.strictObject({ programId: uuid.optional(), period: z.enum(PERIODS).default('all') });

/** A conversion as an entity or as a row. */
export type StoredConversion = Stored<Omit<ConversionView, 'refundedAmount'>, 'createdAt'> & { refunded: number };

export const toConversion = (conversion: StoredConversion): ConversionView => ({
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
  createdAt: toIso(conversion.createdAt),
});

/** Event data: the conversion as REST returns it, with the commission also as `commissionAmount`. */
export const toConversionEvent = (conversion: StoredConversion): z.infer<typeof conversionEventSchema> => ({
  ...toConversion(conversion),
  commissionAmount: conversion.commission,
});

const externalId = line(200);
/** Codes are compared without case. */
const code = (max: number) => line(max).toLowerCase();

const saleCompleted = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[0]),
  timestamp: instant,
  data: z.strictObject({
    saleId: externalId,
    amount: positiveAmount,
    currency,
    occurredAt: instant,
    customer: z.strictObject({ id: externalId, email: z.email().max(320) }),
    subscriptionId: externalId.optional(),
    clickToken: line(200).optional(),
    couponCode: code(100).optional(),
    referralCode: code(50).optional(),
  }),
});

const saleRefunded = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[1]),
  timestamp: instant,
  data: z.strictObject({ saleId: externalId, refundId: externalId, amount: positiveAmount, occurredAt: instant }),
});

export const saleEventSchema = z.discriminatedUnion('type', [
  saleCompleted.meta({ id: 'SaleCompletedEvent' }),
  saleRefunded.meta({ id: 'SaleRefundedEvent' }),
]);

const hashOf = (values: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex');

const canonicalEmail = (email: string): string => email.trim().toLowerCase();

/** `payloadHash` covers everything but the ids. `cipher` hashes the customer's email address. */
export const toSale = (cipher: FieldCipher, programId: string, data: z.infer<typeof saleCompleted>['data']): NewSale => {
  const email = canonicalEmail(data.customer.email);
  const occurredAt = new Date(data.occurredAt);
  const digest = cipher.digest(email, 'customer-email');
  const attribution = [data.subscriptionId, data.clickToken, data.couponCode, data.referralCode].map((value) => value ?? null);
  return {
    programId,
    provider: 'events',
    externalId: data.saleId,
    payloadHash: hashOf([data.amount, data.currency, occurredAt.toISOString(), data.customer.id, digest, ...attribution]),
    amount: data.amount,
    currency: data.currency,
    customerId: data.customer.id,
    customerEmailDigest: digest,
    customerEmailDomain: email.slice(email.lastIndexOf('@') + 1),
    subscriptionId: data.subscriptionId ?? null,
    occurredAt,
  };
};

export const toRefund = (programId: string, data: z.infer<typeof saleRefunded>['data']): NewRefund => {
  const occurredAt = new Date(data.occurredAt);
  return {
    programId,
    provider: 'events',
    externalId: data.refundId,
    externalSaleId: data.saleId,
    payloadHash: hashOf([data.saleId, data.amount, occurredAt.toISOString()]),
    amount: data.amount,
    occurredAt,
  };
};
