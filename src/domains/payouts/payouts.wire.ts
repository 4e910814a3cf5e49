import { z } from 'zod';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { UNPAYABLE_REASONS, type UnpayableReason } from '../../contracts/payout-runs.ts';
import { PAYOUT_STATUSES, RESOLUTIONS, REVIEW_REASONS } from '../../contracts/payouts.ts';
import { RAIL_NAMES } from '../../contracts/rails.ts';
import { toIso } from '../../platform/database/sql.ts';
import {
  affiliateId,
  createdAt,
  currencyCode,
  email,
  id,
  programFilter,
  programId,
  programName,
} from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  paragraph,
  queryBoolean,
  storedUuid,
  stringOrNull,
  timestampOrNull,
  uuid,
} from '../../platform/http/schemas.ts';
import {
  affiliateSchema,
  type DetailsRejection,
  detailsRejectedSchema,
  type PayoutDestination,
  payoutInfoSchema,
} from '../affiliates/index.ts';
import { heldSchema } from '../conversions/index.ts';
import { approvalFields } from './approval/payout-approval.wire.ts';
import { paidAtOf } from './manual/payment-time.steps.ts';
import { bankReference, bankTimes, payoutTimes } from './manual/payment-time.wire.ts';
import { bookedFees, type ShownFee } from './rails/fees.rules.ts';

/** Fees of a payment, or of several. */
export const feeSchema = z
  .object({
    currency: currencyCode,
    amount: amountMinor.describe('What the provider charged'),
    returned: amountMinor.describe('What it gave back of that'),
  })
  .meta({ id: 'ProviderFee' });

export const paymentReference = z
  .string()
  .describe(
    'Short name of the payout, such as NW-1042: on statements, in payment files and for bank lines. Unique on this server, and never changes',
  );

export const payoutSchema = z
  .object({
    id,
    affiliateId,
    programId,
    affiliateCode: z.string().describe('Referral code of the affiliate when the payout was created'),
    affiliateName: stringOrNull.describe('Name of the affiliate when the payout was created; null if unknown'),
    programName: z.string().describe('Name of the program when the payout was created'),
    paymentReference,
    amount: amountMinor.describe('Amount of the payout'),
    currency: currencyCode,
    status: z
      .enum(PAYOUT_STATUSES)
      .describe(
        '`pending`: created, not sent; with `approvalRequiredAt`, not before somebody approved it. `processing`: being paid. `completed`: paid. `failed`: not paid, or returned',
      ),
    method: z
      .enum(PAYOUT_METHODS)
      .nullable()
      .describe("How the affiliate is paid; null when the affiliate's method was not known"),
    rail: z.enum(RAIL_NAMES).describe('What executes the payment; `manual` means a person'),
    notes: stringOrNull.describe('Text for your own records; null if there is none'),
    retryOf: storedUuid.nullable().describe('The failed payout that this one retries; null if it is not a retry'),
    payoutRunId: storedUuid.nullable().describe('Payout run that created it; null if it was created alone'),
    needsAttention: z.boolean().describe('Whether a person has to decide: the outcome cannot be determined automatically'),
    reviewReason: z.enum(REVIEW_REASONS).nullable().describe('Why a person has to decide'),
    failureCode: stringOrNull.describe('Why the payout failed; null if it did not'),
    railReason: stringOrNull.describe("The provider's own code for the failure or return"),
    fee: amountMinor
      .nullable()
      .describe('What the provider charged beside the amount in its currency and did not give back; null while it reports none'),
    fees: z
      .array(feeSchema)
      .describe(
        'What the provider charged beside the amount, one per currency: it may charge in another than that of the payout',
      ),
    bankReference: stringOrNull.describe('How the bank names a payment by hand; null if nobody said'),
    executedAt: timestampOrNull.describe('When the bank executed a payment by hand; null if nobody said'),
    ...approvalFields,
    createdAt,
    ...payoutTimes,
  })
  .meta({ id: 'Payout' });

/** `data` of an event about a final status. */
export const payoutResultSchema = payoutSchema
  .extend({ resolved: z.literal(true).optional().describe('Set when a person resolved a contradiction') })
  .meta({ id: 'PayoutResult' });

export type PayoutView = z.infer<typeof payoutSchema>;

/** An affiliate with a payable or held balance, whether or not it can be paid yet. */
export const pendingAffiliateSchema = z
  .object({
    affiliateId,
    email,
    name: affiliateSchema.shape.name,
    code: z.string().describe('Referral code of the affiliate'),
    programId,
    programName,
    payoutMethod: z.enum(PAYOUT_METHODS).nullable().describe("The affiliate's payout method; null if there is none"),
    paypalEmail: payoutInfoSchema.shape.paypalEmail,
    bankIban: stringOrNull.describe('Masked to the last four characters'),
    pendingAmount: amountMinor.describe(
      'Payable now: approved and unpaid. Commissions in their hold period and disputed ones are not included',
    ),
    heldAmount: amountMinor.describe('Approved commissions that cannot be paid while a dispute or a flag is open'),
    held: heldSchema.describe('`heldAmount` by what holds it'),
    heldUnapproved: heldSchema.describe(
      'Commissions that are not approved while a dispute or a flag is open, by what holds them',
    ),
    currency: currencyCode,
    threshold: amountMinor.describe('Minimum payout of the program'),
    meetsThreshold: z.boolean().describe('Whether pendingAmount is at least the threshold'),
    commissionCount: z.int().describe('Items that the next payout would include: commissions, at most 10,000, and adjustments'),
    hasPayoutMethod: z.boolean().describe('Whether the details of the payout method are complete'),
    blocked: z.boolean().describe('A blocked affiliate keeps the balance and cannot be paid'),
    payoutsPaused: affiliateSchema.shape.payoutsPaused,
    detailsCooldownUntil: timestampOrNull.describe(
      'Until when no payout can be created after a change of payout details; null if it can',
    ),
    detailsRejected: detailsRejectedSchema.describe(
      'Set when payouts to these details were refused so often that no payout can be created until they are changed or confirmed; null if not',
    ),
    reason: z.enum(UNPAYABLE_REASONS).nullable().describe('Why a payout run would not pay the affiliate now; null when it would'),
  })
  .meta({ id: 'PendingAffiliate' });

export type PendingAffiliateView = z.infer<typeof pendingAffiliateSchema>;

export const pendingPayoutsQuery = z.strictObject({
  programId: programFilter,
  ready: queryBoolean
    .optional()
    .describe('true: only affiliates whom a payout run would pay now, of the 1,000 newest with a payable balance'),
  ...pageQuery,
});
export const createPayoutBody = z.strictObject({
  affiliateId: uuid.describe('Affiliate to pay: the membership, as returned by `GET /payouts/pending`'),
  programId: uuid.describe('Program whose commissions are paid'),
  method: z.enum(PAYOUT_METHODS).optional().describe("How to pay. Default: the affiliate's own method"),
  notes: paragraph(1000).optional().describe('Text for your own records; required with `belowThreshold`. Default: none'),
  belowThreshold: z
    .boolean()
    .optional()
    .describe('Pay a balance that is below the payout threshold. Nothing else is lifted, and a retry keeps it. Default: false'),
});

export const completePayoutBody = z.strictObject({
  note: paragraph(1000).optional().describe('Required to override a payout with needsAttention'),
  bankReference: bankReference.optional().describe('How the bank names the payment. Default: none'),
  executedAt: bankTimes.executedAt,
});

export const returnPayoutBody = z.strictObject({
  note: paragraph(1000).min(1).describe('How you know'),
  occurredAt: bankTimes.occurredAt,
  bankReference: bankReference.optional().describe('How the bank names the return. Default: none'),
  evidence: paragraph(1000)
    .optional()
    .describe('What proves it although the provider does not report it: booked without asking the provider. Default: none'),
});

export const manualDecisionBody = z.strictObject({
  note: paragraph(1000).optional().describe('Required to override a payout with needsAttention'),
});

export const resolvePayoutBody = z.strictObject({
  outcome: z.enum(RESOLUTIONS).describe('Whether the affiliate got the money'),
  note: paragraph(1000).describe('How it was found out'),
});

type StoredView = Omit<PayoutView, 'paidAt' | 'fees'>;
type Time = Extract<keyof StoredView, `${string}At`>;
/** A payout as an entity or as a row: they differ in how they hold times and null. */
export type PayoutLike = {
  railPaidAt?: Date | string | null | undefined;
  fees?: readonly ShownFee[] | null | undefined;
} & {
  [Name in keyof StoredView]: Name extends Time
    ? Date | string | Exclude<PayoutView[Name], string> | (null extends PayoutView[Name] ? undefined : never)
    : PayoutView[Name] | (null extends PayoutView[Name] ? undefined : never);
};

const iso = (time: Date | string): string => (typeof time === 'string' ? toIso(time) : time.toISOString());
const isoOrNull = (time: Date | string | null | undefined): string | null => (time ? iso(time) : null);

export const toPayout = (payout: PayoutLike): PayoutView => ({
  id: payout.id,
  affiliateId: payout.affiliateId,
  programId: payout.programId,
  affiliateCode: payout.affiliateCode,
  affiliateName: payout.affiliateName ?? null,
  programName: payout.programName,
  paymentReference: payout.paymentReference,
  amount: payout.amount,
  currency: payout.currency,
  status: payout.status,
  method: payout.method ?? null,
  rail: payout.rail,
  notes: payout.notes ?? null,
  retryOf: payout.retryOf ?? null,
  payoutRunId: payout.payoutRunId ?? null,
  needsAttention: payout.needsAttention,
  reviewReason: payout.reviewReason ?? null,
  failureCode: payout.failureCode ?? null,
  railReason: payout.railReason ?? null,
  fee: payout.fee ?? null,
  fees: bookedFees(payout).map(({ currency, amount, returned }) => ({ currency, amount, returned })),
  bankReference: payout.bankReference ?? null,
  executedAt: isoOrNull(payout.executedAt),
  approvalRequiredAt: isoOrNull(payout.approvalRequiredAt),
  accountEnteredBy: payout.accountEnteredBy ?? null,
  accountEnteredAt: isoOrNull(payout.accountEnteredAt),
  approvedBy: payout.approvedBy ?? null,
  approvedAt: isoOrNull(payout.approvedAt),
  createdAt: iso(payout.createdAt),
  processingAt: isoOrNull(payout.processingAt),
  completedAt: isoOrNull(payout.completedAt),
  paidAt: isoOrNull(paidAtOf<Date | string>(payout)),
  failedAt: isoOrNull(payout.failedAt),
});

/** A row of pending payouts, without what its payout details say. */
export type PendingPayoutRow = Omit<
  PendingAffiliateView,
  | 'held'
  | 'heldUnapproved'
  | 'paypalEmail'
  | 'bankIban'
  | 'meetsThreshold'
  | 'hasPayoutMethod'
  | 'detailsCooldownUntil'
  | 'detailsRejected'
  | 'reason'
> & { disputedAmount: number; unapproved: number; unapprovedDisputed: number };

interface PendingDestination extends Pick<PayoutDestination, 'details' | 'cooldownUntil'> {
  rejection: DetailsRejection | null;
  reason: UnpayableReason | null;
}

const maskIban = (iban: string | null): string | null => (iban === null ? null : `****${iban.slice(-4)}`);

export const toPendingAffiliate = (
  row: PendingPayoutRow,
  { details, cooldownUntil, rejection, reason }: PendingDestination,
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
  held: { dispute: row.disputedAmount, flag: row.heldAmount - row.disputedAmount },
  heldUnapproved: { dispute: row.unapprovedDisputed, flag: row.unapproved - row.unapprovedDisputed },
  currency: row.currency,
  threshold: row.threshold,
  meetsThreshold: row.pendingAmount >= row.threshold,
  commissionCount: row.commissionCount,
  hasPayoutMethod: details !== null,
  blocked: row.blocked,
  payoutsPaused: row.payoutsPaused,
  detailsCooldownUntil: cooldownUntil?.toISOString() ?? null,
  detailsRejected: rejection,
  reason,
});
