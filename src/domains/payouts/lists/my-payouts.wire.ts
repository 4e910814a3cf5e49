import { z } from 'zod';
import {
  MY_PAYOUT_NEXT,
  MY_PAYOUT_REASONS,
  MY_PAYOUT_STATES,
  type MyPayoutSituation,
} from '../../../contracts/situations/my-payout.ts';
import type { Context } from '../../../platform/context.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import { stringOrNull, uuid } from '../../../platform/http/schemas.ts';
import { mySituationOf, type SituatedRow } from '../payout-situation.queries.ts';
import { payoutSchema, toPayout } from '../payouts.wire.ts';

const listOf = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

/** Open sets: codes are added, so they are described and not validated. */
export const mySituationSchema = z
  .object({
    state: z
      .string()
      .describe(
        `Where it is. An open set: ${listOf(MY_PAYOUT_STATES)}; \`under_review\`: the company is finding out what became of it`,
      ),
    reason: stringOrNull.describe(
      `Explains the state; null when the state says it all. An open set: ${listOf(MY_PAYOUT_REASONS)}`,
    ),
    next: stringOrNull.describe(`What you do next; null when you have nothing to do. An open set: ${listOf(MY_PAYOUT_NEXT)}`),
  } satisfies Record<keyof MyPayoutSituation, z.ZodType>)
  .describe('The same as the portal shows');

/** A payout as the affiliate sees it: without the merchant's notes and what the merchant has to decide. */
export const myPayoutSchema = payoutSchema
  .pick({
    id: true,
    affiliateId: true,
    programId: true,
    paymentReference: true,
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
    situation: mySituationSchema,
  })
  .meta({ id: 'MyPayout' });

export type MyPayoutView = z.infer<typeof myPayoutSchema>;

/** The published paths of the affiliate workspace write this parameter in snake case. */
export const myPayoutsQuery = z.strictObject({
  program_id: uuid.optional().describe('Only payouts of this program'),
  ...pageQuery,
});

export const toMyPayout = (payout: SituatedRow & Pick<MyPayoutView, 'paidOn'>, ctx: Pick<Context, 'settings'>): MyPayoutView => {
  const view = toPayout(payout);
  const { id, affiliateId, programId, paymentReference, amount, currency, status, method, failureCode, ...times } = view;
  const { createdAt, processingAt, completedAt, paidAt, failedAt } = times;
  return {
    id,
    affiliateId,
    programId,
    paymentReference,
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
    situation: mySituationOf({ ...payout, ...view }, ctx),
  };
};
