import { z } from 'zod';
import { ADJUSTMENT_KINDS, ADJUSTMENT_STATUSES, type AdjustmentKind } from '../../../contracts/conversions.ts';
import { type Stored, toIso, toIsoOrNull } from '../../../platform/database/sql.ts';
import { affiliateId, createdAt, currencyCode, id, programId } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import { amountMinor, paragraph, storedUuid, stringOrNull, timestampOrNull } from '../../../platform/http/schemas.ts';
import { MAX_AMOUNT_MINOR } from '../../../platform/money.ts';

export const adjustmentSchema = z
  .object({
    id,
    affiliateId,
    programId,
    amount: amountMinor.describe('What is added to the payable balance; negative when it is deducted'),
    currency: currencyCode,
    kind: z.enum(ADJUSTMENT_KINDS).describe('`bonus`: added. `clawback`: deducted. `correction`: either'),
    status: z
      .enum(ADJUSTMENT_STATUSES)
      .describe(
        '`awaiting_approval`: in no balance before a second actor approves it. `booked`: in the balance. `cancelled`: refused. `expired`: nobody approved it within 7 days',
      ),
    note: z.string().describe('Why the balance was adjusted'),
    payoutId: storedUuid
      .nullable()
      .describe('Payout that includes the adjustment; null while none does. A failed payout includes nothing'),
    createdBy: z.string().describe('Who did it: a key or the admin CLI'),
    createdAt,
    approvedBy: stringOrNull.describe('Key or person that approved it; null if nobody had to, or did'),
    approvedAt: timestampOrNull.describe('When it was approved and booked; null if nobody had to, or did'),
  })
  .meta({ id: 'Adjustment' });

export type AdjustmentView = z.infer<typeof adjustmentSchema>;

const SIGNS: Record<AdjustmentKind, { isAllowed(amount: number): boolean; rule: string }> = {
  bonus: { isAllowed: (amount) => amount > 0, rule: 'must be positive for a bonus' },
  clawback: { isAllowed: (amount) => amount < 0, rule: 'must be negative for a clawback' },
  correction: { isAllowed: (amount) => amount !== 0, rule: 'must not be 0' },
};

export const createAdjustmentBody = z
  .strictObject({
    amount: z
      .int()
      .min(-MAX_AMOUNT_MINOR)
      .max(MAX_AMOUNT_MINOR)
      .describe(
        'What is added to the payable balance, in integer minor units: positive for a bonus, negative for a clawback, not 0 for a correction',
      ),
    kind: adjustmentSchema.shape.kind,
    note: paragraph(1000).min(1).describe('Why the balance is adjusted, for your own records'),
  })
  .superRefine(({ amount, kind }, issues) => {
    const { isAllowed, rule } = SIGNS[kind];
    if (!isAllowed(amount)) issues.addIssue({ code: 'custom', path: ['amount'], message: rule });
  });

export const adjustmentsQuery = z.strictObject(pageQuery);

export const toAdjustment = (row: Stored<AdjustmentView, 'createdAt' | 'approvedAt'>): AdjustmentView => ({
  id: row.id,
  affiliateId: row.affiliateId,
  programId: row.programId,
  amount: row.amount,
  currency: row.currency,
  kind: row.kind,
  status: row.status,
  note: row.note,
  payoutId: row.payoutId ?? null,
  createdBy: row.createdBy,
  createdAt: toIso(row.createdAt),
  approvedBy: row.approvedBy ?? null,
  approvedAt: toIsoOrNull(row.approvedAt),
});
