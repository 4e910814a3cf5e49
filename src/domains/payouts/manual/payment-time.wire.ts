import { bankLine, dayOrInstant, timestampOrNull } from '../../../platform/http/schemas.ts';

/** When a payout was begun and ended, and when it was paid. */
export const payoutTimes = {
  processingAt: timestampOrNull.describe('When the payment started; null before'),
  completedAt: timestampOrNull.describe('When it was recorded that the payout was paid; null before'),
  paidAt: timestampOrNull.describe(
    'When the payout was paid: `executedAt` where known, else when the provider says that it paid, else `completedAt`; null before',
  ),
  failedAt: timestampOrNull.describe('When the payout failed; null if it did not'),
};

export const bankReference = bankLine(140);

/** What a bank did, as a person says. */
export const bankTimes = {
  executedAt: dayOrInstant
    .optional()
    .describe('When the bank executed it: a time, or a day of your time zone, such as 2026-01-31. Default: not known'),
  occurredAt: dayOrInstant
    .optional()
    .describe('When the money came back: a time, or a day of your time zone, such as 2026-01-31. Default: not known'),
};
