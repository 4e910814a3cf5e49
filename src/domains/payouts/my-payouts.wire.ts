import { z } from 'zod';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { PAYOUT_STATUSES } from '../../contracts/payouts.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, timestamp, uuid } from '../../platform/http/schemas.ts';
import { type PayoutLike, toPayout } from './payouts.wire.ts';

/** A payout as the affiliate sees it: without the merchant's notes and what the merchant has to decide. */
export const myPayoutSchema = z
  .object({
    id: uuid,
    affiliateId: uuid,
    programId: uuid,
    amount: amountMinor,
    currency: z.string(),
    status: z.enum(PAYOUT_STATUSES),
    method: z.enum(PAYOUT_METHODS).nullable(),
    failureCode: z.string().nullable(),
    createdAt: timestamp,
    processingAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
    failedAt: timestamp.nullable(),
  })
  .meta({ id: 'MyPayout' });

export type MyPayoutView = z.infer<typeof myPayoutSchema>;

/** The published paths of the affiliate workspace write this parameter in snake case. */
export const myPayoutsQuery = z.strictObject({ program_id: uuid.optional(), ...pageQuery });

export const toMyPayout = (payout: PayoutLike): MyPayoutView => {
  const { id, affiliateId, programId, amount, currency, status, method, failureCode, ...times } = toPayout(payout);
  const { createdAt, processingAt, completedAt, failedAt } = times;
  return {
    id,
    affiliateId,
    programId,
    amount,
    currency,
    status,
    method,
    failureCode,
    createdAt,
    processingAt,
    completedAt,
    failedAt,
  };
};
