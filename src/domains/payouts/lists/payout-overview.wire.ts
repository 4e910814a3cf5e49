import { z } from 'zod';
import { currencyCode } from '../../../platform/http/fields.ts';
import { amountMinor } from '../../../platform/http/schemas.ts';

const sums = z.array(
  z.object({
    currency: currencyCode,
    amount: amountMinor.describe('Sum of their amounts'),
    count: z.int().describe('Number of payouts, or of affiliates to pay'),
  }),
);

export const payoutOverviewSchema = z
  .object({
    ready: sums.describe(
      'What a payout run would pay now, as `GET /payouts/pending?ready=true` lists it: without what is on hold, blocked, paused, below the minimum payout or without usable payout details',
    ),
    isReadyCapped: z
      .boolean()
      .describe('Whether more affiliates have a payable balance than one run can pay; the newest 1,000 of them are in `ready`'),
    notStarted: sums.describe('Payouts that were created and not started, as `GET /payouts?status=pending` lists them'),
    processing: sums.describe('Payouts that are being paid, as `GET /payouts?status=processing` lists them'),
  })
  .meta({ id: 'PayoutOverview' });

export type PayoutOverview = z.infer<typeof payoutOverviewSchema>;
