import type { AdjustmentKind } from '../../../contracts/conversions.ts';
import { MAX_OPEN_ADJUSTMENTS } from '../../../contracts/limits.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { type LedgerTransfer, lockBalance, postTransfers } from '../../ledger/index.ts';

export interface BookedAdjustment {
  id: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  kind: AdjustmentKind;
  /** Minor units of the program's currency; negative takes money back. */
  amount: number;
  currency: string;
  note: string;
  createdBy: string;
  createdAt: Date;
  /** Null: nobody had to approve it. */
  approved: { by: string; at: Date } | null;
}

/**
 * Adjusts what is payable to an affiliate by an item of the next payout. Throws TOO_MANY_ADJUSTMENTS. The caller holds a shared lock of
 * the program, whose currency the first amount fixes.
 */
export const bookAdjustment = async (ctx: Context, adjustment: BookedAdjustment): Promise<void> => {
  const { id: referenceId, merchantId, programId, affiliateId, currency } = adjustment;
  await lockBalance(ctx, affiliateId);
  await insertAdjustment(ctx, adjustment);
  await postTransfers(ctx, [{ ...transferOf(adjustment), merchantId, programId, currency, affiliateId, referenceId }]);
};

export const tooManyAdjustments = () =>
  conflict('TOO_MANY_ADJUSTMENTS', 'The affiliate has too many adjustments that are in no payout', {
    maximum: MAX_OPEN_ADJUSTMENTS,
  });

/**
 * The balance's lock, which exists from the first adjustment on, keeps the count true. A template: values are inserted if a count allows
 * it.
 */
const insertAdjustment = async (
  ctx: Context,
  { id, affiliateId, kind, amount, note, createdBy, createdAt, approved }: BookedAdjustment,
): Promise<void> => {
  const inserted = await execute(
    ctx.em,
    sql`insert into commission_adjustment (id, affiliate_id, kind, amount, note, created_by, created_at, approved_by, approved_at)
      select ${id}::uuid, ${affiliateId}::uuid, ${kind}, ${amount}::bigint, ${note}, ${createdBy},
        ${createdAt.toISOString()}::timestamptz, ${approved?.by ?? null}, ${approved?.at.toISOString() ?? null}::timestamptz
      where (select count(*) from (select 1 from commission_adjustment
        where affiliate_id = ${affiliateId} and included_in is null and kind is not null
        limit ${MAX_OPEN_ADJUSTMENTS}) open) < ${MAX_OPEN_ADJUSTMENTS}`,
  );
  if (inserted === 0) throw tooManyAdjustments();
};

/** While a deduction is open, `payable` may be below zero by it. */
const transferOf = ({ amount }: BookedAdjustment): Pick<LedgerTransfer, 'kind' | 'from' | 'to' | 'amount' | 'openAdjustments'> =>
  amount > 0
    ? { kind: 'adjustment', from: 'merchant_expense', to: 'payable', amount }
    : { kind: 'adjustment', from: 'payable', to: 'merchant_expense', amount: -amount, openAdjustments: -amount };
