import { z } from 'zod';
import { PAYOUT_METHODS } from '../../../contracts/affiliates.ts';
import { UNPAYABLE_REASONS } from '../../../contracts/payout-runs.ts';
import { PAYOUT_FREQUENCIES } from '../../../contracts/programs.ts';
import { toIsoOrNull } from '../../../platform/database/sql.ts';
import { affiliateId, companyName, currencyCode, programId, programName } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import { amountMinor, timestampOrNull, uuid } from '../../../platform/http/schemas.ts';
import type { PlannedPayee } from '../create/plan-payouts.steps.ts';
import { mySituationSchema } from './my-payouts.wire.ts';

export const nextPaymentSchema = z
  .object({
    affiliateId,
    programId,
    programName,
    companyName,
    currency: currencyCode,
    amount: amountMinor.describe('What is payable to you: the next payout pays it, unless `reason` says why not'),
    reason: z
      .enum(UNPAYABLE_REASONS)
      .nullable()
      .describe(
        'Why you would not be paid now; null when you would. `NOTHING_PAYABLE`: commissions are in their hold period, or there are none. `BELOW_THRESHOLD`: less than `payoutThreshold` is payable. `HELD_BY_FLAG` and `HELD_BY_DISPUTE`: what is missing is held while a flag or a dispute is open. `PAYOUT_IN_FLIGHT`: another payout has to end first',
      ),
    payoutMethod: z
      .enum(PAYOUT_METHODS)
      .nullable()
      .describe('How the program would pay you: by your own details, else by those that the company entered; null without any'),
    scheduledAt: timestampOrNull.describe(
      'When the next payout run of the program is drafted, which the company may still have to confirm; null when the company starts its runs itself',
    ),
    payoutFrequency: z.enum(PAYOUT_FREQUENCIES).describe('How often the company intends to pay'),
    payoutThreshold: amountMinor.describe('Minimum payout'),
    pending: amountMinor.describe(
      'Commissions in their hold period, not payable yet. This is not the `pendingAmount` of `GET /payouts/pending`',
    ),
    nextReleaseAt: timestampOrNull.describe(
      'When the next hold period ends; null when none does, or flags and disputes hold all',
    ),
    onHold: amountMinor.describe('The part of `pending` that is on hold while a flag or a dispute is open'),
    inPayout: amountMinor.describe('In payouts that are pending or processing'),
    latestPayout: z
      .object({
        id: uuid.describe('Id of the payout'),
        amount: amountMinor.describe('Amount of the payout'),
        situation: mySituationSchema,
      })
      .nullable()
      .describe('Your newest payout of the program, unless it was paid or cancelled: what you wait for, or what went wrong'),
    detailsCooldownUntil: timestampOrNull.describe(
      'Until when the company does not pay to payout details that were changed; null if it does not wait',
    ),
  })
  .meta({ id: 'NextPayment' });

export type NextPaymentView = z.infer<typeof nextPaymentSchema>;

export const nextPaymentsQuery = z.strictObject(pageQuery);

type Time = 'scheduledAt' | 'nextReleaseAt';
type Planned = Pick<PlannedPayee, 'amount' | 'reason' | 'cooldownUntil'>;

export type LatestPayout = NonNullable<NextPaymentView['latestPayout']>;

/** A membership with the terms of its program. */
export type NextPaymentRow = Omit<NextPaymentView, Time | 'amount' | 'reason' | 'detailsCooldownUntil' | 'latestPayout'> &
  Record<Time, string | null>;

export const toNextPayment = (
  row: NextPaymentRow,
  { amount, reason, cooldownUntil }: Planned,
  latestPayout: LatestPayout | null,
): NextPaymentView => ({
  affiliateId: row.affiliateId,
  programId: row.programId,
  programName: row.programName,
  companyName: row.companyName,
  currency: row.currency,
  amount,
  reason,
  payoutMethod: row.payoutMethod,
  scheduledAt: toIsoOrNull(row.scheduledAt),
  payoutFrequency: row.payoutFrequency,
  payoutThreshold: row.payoutThreshold,
  pending: row.pending,
  nextReleaseAt: toIsoOrNull(row.nextReleaseAt),
  onHold: row.onHold,
  inPayout: row.inPayout,
  latestPayout,
  detailsCooldownUntil: cooldownUntil?.toISOString() ?? null,
});
