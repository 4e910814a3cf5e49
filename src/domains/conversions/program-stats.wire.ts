import { z } from 'zod';
import { PERIODS } from '../../contracts/conversions.ts';
import { PROGRAM_STATUSES } from '../../contracts/programs.ts';
import { amountMinor, storedUuid } from '../../platform/http/schemas.ts';

const count = z.int();

/** A program has one currency. As published, the key is `partiallyRefunded` although the status is `partially_refunded`. */
export const programStatsSchema = z
  .object({
    programId: storedUuid,
    programName: z.string(),
    status: z.enum(PROGRAM_STATUSES),
    currency: z.string(),
    totalRevenue: amountMinor,
    totalConversions: count,
    totalCommissions: amountMinor,
    pendingCommissions: amountMinor,
    activeAffiliates: count,
    conversionsByStatus: z.object({
      pending: count,
      approved: count,
      partiallyRefunded: count,
      rejected: count,
      refunded: count,
    }),
  })
  .meta({ id: 'ProgramStats' });

export type ProgramStatsView = z.infer<typeof programStatsSchema>;

export const programStatsQuery = z.strictObject({ period: z.enum(PERIODS).default('all') });
