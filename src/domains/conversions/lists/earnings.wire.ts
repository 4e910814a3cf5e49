import { z } from 'zod';
import { EARNING_STATUSES, EARNING_TYPES } from '../../../contracts/conversions.ts';
import { type Stored, toIso, toIsoOrNull } from '../../../platform/database/sql.ts';
import { createdAt, currencyCode, programId } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import { amountMinor, storedUuid, timestampOrNull } from '../../../platform/http/schemas.ts';
import { statsQuery } from '../conversions.wire.ts';

/** A line of an affiliate's earnings: a conversion without its customer, or a manual adjustment without its note. */
export const earningSchema = z
  .object({
    id: storedUuid.describe('The conversion or the adjustment'),
    programId,
    type: z
      .enum(EARNING_TYPES)
      .describe('`commission`: for a sale. `bonus`, `clawback` and `correction`: made manually by the merchant'),
    amount: amountMinor.describe('What you earned, after refunds; negative when it is deducted'),
    currency: currencyCode,
    status: z
      .enum(EARNING_STATUSES)
      .describe(
        '`pending`: in its hold period. `approved`: payable. `paid`: in a completed payout. `rejected` and `refunded`: no commission',
      ),
    saleAmount: amountMinor
      .nullable()
      .describe('Amount of the sale, before refunds, in integer minor units; null for an adjustment'),
    refundedAmount: amountMinor
      .nullable()
      .describe('Sum of the refunds of the sale, in integer minor units; null for an adjustment'),
    availableAt: timestampOrNull.describe('End of the hold period; null for an adjustment'),
    payoutId: storedUuid.nullable().describe('Payout that includes it; null while none does'),
    createdAt,
  })
  .meta({ id: 'Earning' });

export type EarningView = z.infer<typeof earningSchema>;

export const earningsQuery = z.strictObject({ period: statsQuery.shape.period, ...pageQuery });

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
