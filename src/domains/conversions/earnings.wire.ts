import { z } from 'zod';
import { EARNING_STATUSES, EARNING_TYPES, PERIODS } from '../../contracts/conversions.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, storedUuid, timestamp } from '../../platform/http/schemas.ts';

/** A line of an affiliate's earnings: a conversion without its customer, or a manual adjustment without its note. */
export const earningSchema = z
  .object({
    id: storedUuid,
    programId: storedUuid,
    type: z.enum(EARNING_TYPES),
    amount: amountMinor,
    currency: z.string(),
    status: z.enum(EARNING_STATUSES),
    saleAmount: amountMinor.nullable(),
    refundedAmount: amountMinor.nullable(),
    availableAt: timestamp.nullable(),
    payoutId: storedUuid.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Earning' });

export type EarningView = z.infer<typeof earningSchema>;

export const earningsQuery = z.strictObject({ period: z.enum(PERIODS).default('all'), ...pageQuery });

export type EarningRow = Stored<EarningView, 'availableAt' | 'createdAt'>;

export const toEarning = (row: EarningRow): EarningView => ({
  id: row.id,
  programId: row.programId,
  type: row.type,
  amount: row.amount,
  currency: row.currency,
  status: row.status,
  saleAmount: row.saleAmount ?? null,
  refundedAmount: row.refundedAmount ?? null,
  availableAt: toIsoOrNull(row.availableAt),
  payoutId: row.payoutId ?? null,
  createdAt: toIso(row.createdAt),
});
