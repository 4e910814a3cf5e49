import { z } from 'zod';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { PERIODS } from '../../contracts/conversions.ts';
import { PAYOUT_STATUSES, RAILS } from '../../contracts/payouts.ts';
import { dateRangeQuery } from '../../platform/http/date-range.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, paragraph, timestamp, uuid } from '../../platform/http/schemas.ts';
import type { Payout } from './payout.entity.ts';

export const payoutSchema = z
  .object({
    id: uuid,
    affiliateId: uuid,
    programId: uuid,
    amount: amountMinor,
    currency: z.string(),
    status: z.enum(PAYOUT_STATUSES),
    method: z.enum(PAYOUT_METHODS).nullable(),
    rail: z.enum(RAILS),
    notes: z.string().nullable(),
    retryOf: uuid.nullable(),
    needsAttention: z.boolean(),
    failureCode: z.string().nullable(),
    createdAt: timestamp,
    processingAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
    failedAt: timestamp.nullable(),
  })
  .meta({ id: 'Payout' });

export type PayoutView = z.infer<typeof payoutSchema>;

export const timelineEntrySchema = z
  .object({
    id: uuid,
    at: timestamp,
    what: z.string(),
    actor: z.string(),
    from: z.enum(PAYOUT_STATUSES).nullable(),
    to: z.enum(PAYOUT_STATUSES).nullable(),
    attempt: z.int().nullable(),
    railReference: z.string().nullable(),
    reason: z.string().nullable(),
    workflowId: z.string().nullable(),
    runId: z.string().nullable(),
  })
  .meta({ id: 'PayoutTimelineEntry' });

export type TimelineView = z.infer<typeof timelineEntrySchema>;

/** Somebody who is owed money, whether or not it can be paid yet. */
export const pendingAffiliateSchema = z
  .object({
    affiliateId: uuid,
    email: z.string(),
    name: z.string().nullable(),
    code: z.string(),
    programId: uuid,
    programName: z.string(),
    payoutMethod: z.enum(PAYOUT_METHODS).nullable(),
    paypalEmail: z.string().nullable(),
    bankIban: z.string().nullable().meta({ description: 'Masked to the last four characters' }),
    pendingAmount: amountMinor,
    currency: z.string(),
    threshold: amountMinor,
    meetsThreshold: z.boolean(),
    commissionCount: z.int(),
    hasPayoutMethod: z.boolean(),
  })
  .meta({ id: 'PendingAffiliate' });

export type PendingAffiliateView = z.infer<typeof pendingAffiliateSchema>;

const sums = { totalPaid: amountMinor, totalPending: amountMinor, totalFailed: amountMinor, count: z.int() };

/** The flat numbers cover the main currency, that of the most recent payout. */
export const payoutStatsSchema = z
  .object({ ...sums, currency: z.string().nullable(), byCurrency: z.array(z.object({ currency: z.string(), ...sums })) })
  .meta({ id: 'PayoutStats' });

export type PayoutStats = z.infer<typeof payoutStatsSchema>;

export const payoutListQuery = z.strictObject({
  programId: uuid.optional(),
  affiliateId: uuid.optional(),
  status: z.enum(PAYOUT_STATUSES).optional(),
  ...dateRangeQuery,
  ...pageQuery,
});

export const pendingQuery = z.strictObject({ programId: uuid.optional(), ...pageQuery });
export const payoutStatsQuery = z.strictObject({ programId: uuid.optional(), period: z.enum(PERIODS).default('all') });

export const createPayoutBody = z.strictObject({
  affiliateId: uuid,
  programId: uuid,
  method: z.enum(PAYOUT_METHODS).optional(),
  notes: paragraph(1000).optional(),
});

export const markBody = z.strictObject({
  note: paragraph(1000).optional().meta({ description: 'Needed to decide a payout that waits for a person' }),
});

export const toPayout = (payout: Payout): PayoutView => ({
  id: payout.id,
  affiliateId: payout.affiliateId,
  programId: payout.programId,
  amount: payout.amount,
  currency: payout.currency,
  status: payout.status,
  method: payout.method,
  rail: payout.rail,
  notes: payout.notes ?? null,
  retryOf: payout.retryOf ?? null,
  needsAttention: payout.needsAttention,
  failureCode: payout.failureCode ?? null,
  createdAt: payout.createdAt.toISOString(),
  processingAt: payout.processingAt?.toISOString() ?? null,
  completedAt: payout.completedAt?.toISOString() ?? null,
  failedAt: payout.failedAt?.toISOString() ?? null,
});
