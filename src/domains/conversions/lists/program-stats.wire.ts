import { z } from 'zod';
import { programName } from '../../../platform/http/fields.ts';
import { amountMinor, storedUuid } from '../../../platform/http/schemas.ts';
import { programSchema } from '../../programs/index.ts';
import { conversionStatsSchema, customerCounts, statsQuery } from '../conversions.wire.ts';

const count = z.int();

/** A program has one currency. As published, the key is `partiallyRefunded` although the status is `partially_refunded`. */
export const programStatsSchema = z
  .object({
    programId: storedUuid.describe('The program that was asked for'),
    programName,
    status: programSchema.shape.status,
    currency: z.string().describe('Currency of the program: ISO 4217 code, lower case'),
    totalRevenue: amountMinor.describe('Sum of the credited sales, less refunds; rejected ones are not included'),
    totalConversions: count.describe('Number of conversions, whatever their status'),
    totalCommissions: conversionStatsSchema.shape.totalCommissions,
    pendingCommissions: amountMinor.describe(
      'Commissions in their hold period, not payable yet. This is not the `pendingAmount` of `GET /payouts/pending`',
    ),
    ...customerCounts,
    activeAffiliates: count.describe('Number of affiliates who are approved today, whatever the period'),
    conversionsByStatus: z
      .object({
        pending: count.describe('Number of conversions in their hold period'),
        approved: count.describe('Number of conversions whose commission is payable or paid'),
        partiallyRefunded: count.describe('Number of conversions with the status `partially_refunded`'),
        rejected: count.describe('Number of conversions whose commission was taken back without a refund'),
        refunded: count.describe('Number of conversions whose sale was refunded in full'),
      })
      .describe('Number of conversions with each status'),
  })
  .meta({ id: 'ProgramStats' });

export type ProgramStatsView = z.infer<typeof programStatsSchema>;

export const programStatsQuery = z.strictObject({ period: statsQuery.shape.period });
