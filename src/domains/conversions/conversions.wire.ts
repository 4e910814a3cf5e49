import { z } from 'zod';
import { ATTRIBUTION_METHODS, CONVERSION_STATUSES, HOLD_KINDS, PERIODS, REJECTION_REASONS } from '../../contracts/conversions.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { dateRangeQuery, inOrder } from '../../platform/http/date-range.ts';
import {
  affiliateFilter,
  affiliateId,
  createdAt,
  currencyCode,
  id,
  programFilter,
  programId,
} from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  ownMetadata,
  queryBoolean,
  queryInteger,
  storedUuid,
  stringOrNull,
  timestamp,
  timestampOrNull,
  uuid,
  withTextsOf,
} from '../../platform/http/schemas.ts';
import { affiliateSchema } from '../affiliates/index.ts';
import { externalId, saleSchema } from './lists/sales.wire.ts';
import type { Sale } from './sale.entity.ts';

const holdSchema = z
  .object({
    kind: z
      .enum(HOLD_KINDS)
      .describe(
        'What holds it; of several, the first in this order. `dispute`: of the payment. `flag`: until it is resolved. `block`: of the affiliate. `screening`: the fraud rules have not seen it yet, which takes seconds',
      ),
    flagId: storedUuid.nullable().describe('The oldest flag that holds it; null unless `kind` is `flag`'),
    reason: z
      .string()
      .describe('Type of the flag, or `payment_disputed`, `affiliate_blocked` or `not_screened`. More may be added'),
    since: timestamp.describe('Since when'),
  })
  .meta({ id: 'ConversionHold' });

/** Commissions that cannot be paid. */
export const heldSchema = z
  .object({
    dispute: amountMinor.describe('Of commissions whose payment is disputed'),
    flag: amountMinor.describe('Of commissions that a flag holds, and no dispute'),
  })
  .meta({ id: 'HeldAmounts' });

export const conversionSchema = z
  .object({
    id,
    affiliateId,
    programId,
    amount: saleSchema.shape.amount,
    refundedAmount: saleSchema.shape.refundedAmount,
    commission: amountMinor.describe('Commission of the affiliate, after refunds'),
    currency: currencyCode,
    status: z
      .enum(CONVERSION_STATUSES)
      .describe('`pending`: in its hold period. `approved`: payable or paid. `rejected` and `refunded`: no commission'),
    method: z
      .enum(ATTRIBUTION_METHODS)
      .describe('How the sale was attributed: click (`cookie`), `coupon`, or referral code (`metadata`)'),
    stripeSessionId: stringOrNull.describe('Stripe checkout session of the sale; null for other payment systems'),
    externalSaleId: saleSchema.shape.externalSaleId,
    customerId: saleSchema.shape.customerId,
    subscriptionId: stringOrNull.describe("Your payment system's id of the subscription; null for a single payment"),
    metadata: ownMetadata
      .nullable()
      .describe('Data of your own that came with the sale: at most 20 text values, and 2 KB in total. Default: none'),
    disputedAt: timestampOrNull.describe(
      'Since when the payment is disputed: the commission is neither approved nor paid until the dispute ends. Null without an open dispute',
    ),
    createdAt,
    hold: holdSchema
      .nullable()
      .describe('Why the commission is neither approved nor paid for now; null when nothing holds it, and in a payout'),
  })
  .meta({ id: 'Conversion' });

export type ConversionView = z.infer<typeof conversionSchema>;

/** Has no `hold`: an event tells what happened, and a hold ends without an event. */
export const conversionEventSchema = conversionSchema
  .omit({ hold: true })
  .extend({ commissionAmount: amountMinor.describe('Same as `commission`') })
  .meta({ id: 'ConversionEvent' });

export const conversionRefundedSchema = conversionEventSchema
  .extend({
    refundAmount: amountMinor.describe('Zero when the commission was rejected'),
    commissionReduction: amountMinor.describe('How much this refund takes off the commission'),
    reason: z.enum(REJECTION_REASONS).nullable().describe('Why the commission was rejected; null for a refund'),
  })
  .meta({ id: 'ConversionRefunded' });

export const refundReversedSchema = conversionEventSchema
  .extend({
    reversedAmount: amountMinor.describe('How much of the sale counts again'),
    commissionIncrease: amountMinor.describe('How much the commission grows'),
  })
  .meta({ id: 'ConversionRefundReversed' });

export const conversionHeldSchema = conversionEventSchema
  .extend({ hold: holdSchema.describe('What holds it from now on') })
  .meta({ id: 'ConversionHeld' });

const totals = {
  total: z.int().describe('Number of conversions'),
  pending: z.int().describe('Number of conversions in their hold period'),
  approved: z.int().describe('Number of approved conversions'),
  held: z
    .int()
    .describe(
      'Number of unpaid conversions, `pending` and `approved` ones among them, that are neither approved nor paid for now: those with a `hold`',
    ),
  totalRevenue: affiliateSchema.shape.totalRevenue,
  totalCommissions: amountMinor.describe('Sum of the commissions, after refunds'),
};

/** Steps of a funnel after the clicks: leads and customers. */
export const customerCounts = {
  leads: z.int().describe('Customers of affiliates who signed up in the period, whether they paid or not'),
  customers: z.int().describe('Customers of affiliates whose first payment was in the period'),
};

/** The totals at the top are in `currency`, that of the most recent sale: amounts are never summed across currencies. */
export const conversionStatsSchema = z
  .object({
    ...totals,
    ...customerCounts,
    currency: stringOrNull.describe('Currency of the totals beside it; null when there are none'),
    byCurrency: z
      .array(z.object({ currency: currencyCode, ...totals }))
      .describe('The same totals for each currency, the one at the top level first'),
  })
  .meta({ id: 'ConversionStats' });

export type ConversionStats = z.infer<typeof conversionStatsSchema>;

export const conversionListQuery = inOrder(
  z.strictObject(
    withTextsOf(saleSchema, {
      programId: programFilter,
      affiliateId: affiliateFilter,
      status: z.enum(CONVERSION_STATUSES).optional().describe('Only conversions with this status'),
      externalSaleId: externalId.optional(),
      flagId: uuid.optional().describe('Only conversions that are linked to this flag, open or not'),
      held: queryBoolean.optional().describe('true: only conversions with a `hold`; false: only those without'),
      ...dateRangeQuery,
      ...pageQuery,
    }),
  ),
);

export const recentQuery = z.strictObject({
  limit: queryInteger(1, 20).default(10).describe('Maximum number of conversions. Default: 10'),
});
export const statsQuery = z.strictObject({
  programId: programFilter,
  period: z.enum(PERIODS).default('all').describe('Objects created in the last 7, 30 or 90 days, or all. Default: all'),
});

type ConversionEventView = z.infer<typeof conversionEventSchema>;

type SaleField = 'externalSaleId' | 'customerId' | 'subscriptionId' | 'metadata';

/** A conversion as an entity or as a row. */
export type StoredConversion = Stored<Omit<ConversionView, 'refundedAmount' | 'hold' | SaleField>, 'createdAt' | 'disputedAt'> & {
  refunded: number;
};

/** A conversion with the fields of its sale, and what holds it. */
export type ConversionRow = StoredConversion & Pick<ConversionView, SaleField | 'hold'>;

export const toConversion = (conversion: ConversionRow): ConversionView => ({
  ...toFacts(conversion),
  hold: conversion.hold,
});

const toFacts = (conversion: Omit<ConversionRow, 'hold'>): Omit<ConversionView, 'hold'> => ({
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
export const toConversionEvent = (conversion: StoredConversion, sale: SaleFields): ConversionEventView => ({
  ...toFacts({ ...conversion, ...saleFieldsOf(sale) }),
  commissionAmount: conversion.commission,
});

const saleFieldsOf = ({ externalId, customerId, subscriptionId, metadata }: SaleFields): Pick<ConversionView, SaleField> => ({
  externalSaleId: externalId,
  customerId,
  subscriptionId: subscriptionId ?? null,
  metadata: metadata ?? null,
});
