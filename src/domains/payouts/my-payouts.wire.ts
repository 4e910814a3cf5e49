import { z } from 'zod';
import { pageQuery } from '../../platform/http/pages.ts';
import { uuid } from '../../platform/http/schemas.ts';
import { type PayoutLike, payoutSchema, toPayout } from './payouts.wire.ts';

/** A payout as the affiliate sees it: without the merchant's notes and what the merchant has to decide. */
export const myPayoutSchema = payoutSchema
  .pick({
    id: true,
    affiliateId: true,
    programId: true,
    amount: true,
    currency: true,
    status: true,
    method: true,
    failureCode: true,
    createdAt: true,
    processingAt: true,
    completedAt: true,
    failedAt: true,
  })
  .extend({ method: payoutSchema.shape.method.describe('How you are paid') })
  .meta({ id: 'MyPayout' });

export type MyPayoutView = z.infer<typeof myPayoutSchema>;

/** The published paths of the affiliate workspace write this parameter in snake case. */
export const myPayoutsQuery = z.strictObject({
  program_id: uuid.optional().describe('Only payouts of this program'),
  ...pageQuery,
});

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
