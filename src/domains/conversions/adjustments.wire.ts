import { z } from 'zod';
import { ADJUSTMENT_KINDS, type AdjustmentKind } from '../../contracts/conversions.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, paragraph, storedUuid, timestamp } from '../../platform/http/schemas.ts';
import { MAX_AMOUNT_MINOR } from '../../platform/money.ts';

export const adjustmentSchema = z
  .object({
    id: storedUuid,
    affiliateId: storedUuid,
    programId: storedUuid,
    amount: amountMinor,
    currency: z.string(),
    kind: z.enum(ADJUSTMENT_KINDS),
    note: z.string(),
    payoutId: storedUuid.nullable(),
    createdBy: z.string(),
    createdAt: timestamp,
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
    amount: z.int().min(-MAX_AMOUNT_MINOR).max(MAX_AMOUNT_MINOR),
    kind: z.enum(ADJUSTMENT_KINDS),
    note: paragraph(1000).min(1),
  })
  .superRefine(({ amount, kind }, issues) => {
    const { isAllowed, rule } = SIGNS[kind];
    if (!isAllowed(amount)) issues.addIssue({ code: 'custom', path: ['amount'], message: rule });
  });

export const adjustmentsQuery = z.strictObject(pageQuery);

export const toAdjustment = (row: Stored<AdjustmentView, 'createdAt'>): AdjustmentView => ({
  id: row.id,
  affiliateId: row.affiliateId,
  programId: row.programId,
  amount: row.amount,
  currency: row.currency,
  kind: row.kind,
  note: row.note,
  payoutId: row.payoutId ?? null,
  createdBy: row.createdBy,
  createdAt: toIso(row.createdAt),
});
