import { z } from 'zod';
import { pageQuery } from '../../../platform/http/pages.ts';
import { uuid } from '../../../platform/http/schemas.ts';
import { type PayoutLike, payoutSchema, toPayout } from '../payouts.wire.ts';

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
    paidAt: true,
    failedAt: true,
  })
  .extend({
    method: payoutSchema.shape.method.describe('How you are paid'),
    paidAt: payoutSchema.shape.paidAt.describe('When the payout was paid, as far as it is known; null before'),
    paidOn: z.iso
      .date()
      .nullable()
      .describe("The day of `paidAt` in the company's time zone, as on the remittance advice; null before"),
  })
  .meta({ id: 'MyPayout' });

export type MyPayoutView = z.infer<typeof myPayoutSchema>;

/** The published paths of the affiliate workspace write this parameter in snake case. */
export const myPayoutsQuery = z.strictObject({
  program_id: uuid.optional().describe('Only payouts of this program'),
  ...pageQuery,
});

export const toMyPayout = (payout: PayoutLike & Pick<MyPayoutView, 'paidOn'>): MyPayoutView => {
  const { id, affiliateId, programId, amount, currency, status, method, failureCode, ...times } = toPayout(payout);
  const { createdAt, processingAt, completedAt, paidAt, failedAt } = times;
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
    paidAt,
    failedAt,
    paidOn: payout.paidOn,
  };
};
