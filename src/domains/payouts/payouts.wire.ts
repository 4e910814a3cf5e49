import { z } from 'zod';
import { PAYOUT_METHODS, type PayoutMethod } from '../../contracts/affiliates.ts';
import { PERIODS } from '../../contracts/conversions.ts';
import { toDecimal } from '../../contracts/currencies.ts';
import { PAYOUT_STATUSES, type PayoutDetails, RESOLUTIONS, REVIEW_REASONS } from '../../contracts/payouts.ts';
import { RAIL_NAMES } from '../../contracts/rails.ts';
import { toIso } from '../../platform/database/sql.ts';
import { dateRangeQuery } from '../../platform/http/date-range.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, paragraph, queryBoolean, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';

export const payoutSchema = z
  .object({
    id: storedUuid,
    affiliateId: storedUuid,
    programId: storedUuid,
    amount: amountMinor,
    currency: z.string(),
    status: z.enum(PAYOUT_STATUSES),
    method: z.enum(PAYOUT_METHODS).nullable(),
    rail: z.enum(RAIL_NAMES),
    notes: z.string().nullable(),
    retryOf: storedUuid.nullable(),
    needsAttention: z.boolean(),
    reviewReason: z.enum(REVIEW_REASONS).nullable().meta({ description: 'Why a person has to decide' }),
    failureCode: z.string().nullable(),
    railReason: z.string().nullable().meta({ description: "The provider's own code for the failure or return" }),
    createdAt: timestamp,
    processingAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
    failedAt: timestamp.nullable(),
  })
  .meta({ id: 'Payout' });

/** `data` of an event about a final status. */
export const payoutResultSchema = payoutSchema
  .extend({ resolved: z.literal(true).optional().meta({ description: 'Set when a person resolved a contradiction' }) })
  .meta({ id: 'PayoutResult' });

export type PayoutView = z.infer<typeof payoutSchema>;

/** What a person needs to pay a payout outside the system. Only the fields of its method are filled. */
export const payoutInstructionsSchema = z
  .object({
    payoutId: storedUuid,
    status: z.enum(PAYOUT_STATUSES).meta({ description: 'Pay only while it is processing' }),
    programName: z.string(),
    affiliateCode: z.string(),
    amount: amountMinor,
    amountDecimal: z.string().meta({ description: 'The amount in major units, as bank forms expect it' }),
    currency: z.string(),
    method: z.enum(PAYOUT_METHODS),
    recipient: z.object({
      paypalEmail: z.string().nullable(),
      bankIban: z.string().nullable().meta({ description: 'In full' }),
      bankBic: z.string().nullable(),
      bankAccountHolder: z.string().nullable(),
    }),
    reference: z.string().meta({ description: 'Text for the transfer, so that it can be matched to the payout' }),
  })
  .meta({ id: 'PayoutInstructions' });

export type PayoutInstructions = z.infer<typeof payoutInstructionsSchema>;

/** An affiliate with a payable balance, whether or not it can be paid yet. */
export const pendingAffiliateSchema = z
  .object({
    affiliateId: storedUuid,
    email: z.string(),
    name: z.string().nullable(),
    code: z.string(),
    programId: storedUuid,
    programName: z.string(),
    payoutMethod: z.enum(PAYOUT_METHODS).nullable(),
    paypalEmail: z.string().nullable(),
    bankIban: z.string().nullable().meta({ description: 'Masked to the last four characters' }),
    pendingAmount: amountMinor,
    heldAmount: amountMinor,
    currency: z.string(),
    threshold: amountMinor,
    meetsThreshold: z.boolean(),
    commissionCount: z
      .int()
      .meta({ description: 'Items that the next payout would include: commissions, at most 10,000, and adjustments' }),
    hasPayoutMethod: z.boolean().meta({ description: 'Whether the details of the payout method are complete' }),
    blocked: z.boolean().meta({ description: 'A blocked affiliate keeps the balance and cannot be paid' }),
    payoutsPaused: z.boolean(),
    detailsCooldownUntil: timestamp.nullable(),
  })
  .meta({ id: 'PendingAffiliate' });

export type PendingAffiliateView = z.infer<typeof pendingAffiliateSchema>;

const sums = { totalPaid: amountMinor, totalPending: amountMinor, totalFailed: amountMinor, count: z.int() };

/** The totals at the top level are those of the main currency: that of the most recent sale. */
export const payoutStatsSchema = z
  .object({ ...sums, currency: z.string().nullable(), byCurrency: z.array(z.object({ currency: z.string(), ...sums })) })
  .meta({ id: 'PayoutStats' });

export type PayoutStats = z.infer<typeof payoutStatsSchema>;

export const payoutListQuery = z.strictObject({
  programId: uuid.optional(),
  affiliateId: uuid.optional(),
  status: z.enum(PAYOUT_STATUSES).optional(),
  needsAttention: queryBoolean.optional().meta({ description: 'true: only payouts that wait for a decision of a person' }),
  ...dateRangeQuery,
  ...pageQuery,
});

export const pendingPayoutsQuery = z.strictObject({ programId: uuid.optional(), ...pageQuery });
export const payoutStatsQuery = z.strictObject({ programId: uuid.optional(), period: z.enum(PERIODS).default('all') });

export const createPayoutBody = z.strictObject({
  affiliateId: uuid,
  programId: uuid,
  method: z.enum(PAYOUT_METHODS).optional(),
  notes: paragraph(1000).optional(),
});

export const manualDecisionBody = z.strictObject({
  note: paragraph(1000).optional().meta({ description: 'Required to override a payout with needsAttention' }),
});

export const resolvePayoutBody = z.strictObject({
  outcome: z.enum(RESOLUTIONS).meta({ description: 'Whether the affiliate got the money' }),
  note: paragraph(1000).meta({ description: 'How it was found out' }),
});

type Time = 'createdAt' | 'processingAt' | 'completedAt' | 'failedAt';

/** A payout as an entity or as a row: they differ in how they hold times and null. */
export type PayoutLike = {
  [Name in keyof PayoutView]: Name extends Time
    ? Date | string | Exclude<PayoutView[Name], string> | (null extends PayoutView[Name] ? undefined : never)
    : PayoutView[Name] | (null extends PayoutView[Name] ? undefined : never);
};

const iso = (time: Date | string): string => (typeof time === 'string' ? toIso(time) : time.toISOString());
const isoOrNull = (time: Date | string | null | undefined): string | null => (time ? iso(time) : null);

export const toPayout = (payout: PayoutLike): PayoutView => ({
  id: payout.id,
  affiliateId: payout.affiliateId,
  programId: payout.programId,
  amount: payout.amount,
  currency: payout.currency,
  status: payout.status,
  method: payout.method ?? null,
  rail: payout.rail,
  notes: payout.notes ?? null,
  retryOf: payout.retryOf ?? null,
  needsAttention: payout.needsAttention,
  reviewReason: payout.reviewReason ?? null,
  failureCode: payout.failureCode ?? null,
  railReason: payout.railReason ?? null,
  createdAt: iso(payout.createdAt),
  processingAt: isoOrNull(payout.processingAt),
  completedAt: isoOrNull(payout.completedAt),
  failedAt: isoOrNull(payout.failedAt),
});

/** Contains the recipient in clear: for the response only. */
export const toPayoutInstructions = (
  { id, status, amount, currency, method }: Pick<PayoutLike, 'id' | 'status' | 'amount' | 'currency'> & { method: PayoutMethod },
  { paypalEmail, bankIban, bankBic, bankAccountHolder }: Omit<PayoutDetails, 'method'>,
  names: Pick<PayoutInstructions, 'programName' | 'affiliateCode'>,
): PayoutInstructions => ({
  payoutId: id,
  status,
  ...names,
  amount,
  amountDecimal: toDecimal(amount, currency),
  currency,
  method,
  recipient:
    method === 'paypal'
      ? { paypalEmail, bankIban: null, bankBic: null, bankAccountHolder: null }
      : { paypalEmail: null, bankIban, bankBic, bankAccountHolder },
  reference: id,
});

/** A row of pending payouts, without what its payout details say. */
export type PendingPayoutRow = Omit<
  PendingAffiliateView,
  'paypalEmail' | 'bankIban' | 'meetsThreshold' | 'hasPayoutMethod' | 'detailsCooldownUntil'
>;

const maskIban = (iban: string | null): string | null => (iban === null ? null : `****${iban.slice(-4)}`);

export const toPendingAffiliate = (
  row: PendingPayoutRow,
  { details, cooldownUntil }: { details: PayoutDetails | null; cooldownUntil: Date | null },
): PendingAffiliateView => ({
  affiliateId: row.affiliateId,
  email: row.email,
  name: row.name,
  code: row.code,
  programId: row.programId,
  programName: row.programName,
  payoutMethod: row.payoutMethod,
  paypalEmail: details?.paypalEmail ?? null,
  bankIban: maskIban(details?.bankIban ?? null),
  pendingAmount: row.pendingAmount,
  heldAmount: row.heldAmount,
  currency: row.currency,
  threshold: row.threshold,
  meetsThreshold: row.pendingAmount >= row.threshold,
  commissionCount: row.commissionCount,
  hasPayoutMethod: details !== null,
  blocked: row.blocked,
  payoutsPaused: row.payoutsPaused,
  detailsCooldownUntil: cooldownUntil?.toISOString() ?? null,
});
