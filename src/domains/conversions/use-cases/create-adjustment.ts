import type { AdjustmentKind } from '../../../contracts/conversions.ts';
import { MAX_OPEN_ADJUSTMENTS } from '../../../contracts/limits.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { readOwnedAffiliate } from '../../affiliates/index.ts';
import { type LedgerTransfer, lockBalance, postTransfer } from '../../ledger/index.ts';
import { lockProgramShared } from '../../programs/index.ts';
import { type AdjustmentView, toAdjustment } from '../adjustments.wire.ts';

export interface CreateAdjustmentInput {
  affiliateId: string;
  /** Minor units of the program's currency; negative takes money back. */
  amount: number;
  kind: AdjustmentKind;
  note: string;
}

/** Adjusts what is payable to an affiliate, blocked or not, by an item of the next payout. */
export const createAdjustment = (ctx: Context, input: CreateAdjustmentInput): Promise<AdjustmentView> =>
  inTransaction(ctx, async (ctx) => {
    const affiliate = await readOwnedAffiliate(ctx, input.affiliateId);
    // The first amount of a program fixes its currency.
    const { id: programId, merchantId, currency } = await lockProgramShared(ctx, affiliate.programId);
    await lockBalance(ctx, affiliate.id);
    const adjustment = {
      ...input,
      id: ctx.ids.next(),
      programId,
      currency,
      payoutId: null,
      createdBy: actorName(ctx.actor),
      createdAt: ctx.clock.now(),
    };
    await insertAdjustment(ctx, adjustment);
    await postTransfer(ctx, {
      ...transferOf(input),
      merchantId,
      programId,
      currency,
      affiliateId: affiliate.id,
      referenceId: adjustment.id,
    });
    const { id: resourceId, affiliateId, kind, amount } = adjustment;
    const after = { affiliateId, kind, amount, currency };
    await recordChange(ctx, { ownerId: merchantId, action: 'adjustment.created', resourceId, after, hidden: ['note'] });
    return toAdjustment(adjustment);
  });

/** Throws TOO_MANY_ADJUSTMENTS. The balance's lock, which exists from the first adjustment on, keeps the count true. */
const insertAdjustment = async (
  ctx: Context,
  {
    id,
    affiliateId,
    kind,
    amount,
    note,
    createdBy,
    createdAt,
  }: CreateAdjustmentInput & { id: string; createdBy: string; createdAt: Date },
): Promise<void> => {
  const inserted = await execute(
    ctx.em,
    sql`insert into commission_adjustment (id, affiliate_id, kind, amount, note, created_by, created_at)
      select ${id}::uuid, ${affiliateId}::uuid, ${kind}, ${amount}::bigint, ${note}, ${createdBy},
        ${createdAt.toISOString()}::timestamptz
      where (select count(*) from (select 1 from commission_adjustment
        where affiliate_id = ${affiliateId} and included_in is null and kind is not null
        limit ${MAX_OPEN_ADJUSTMENTS}) open) < ${MAX_OPEN_ADJUSTMENTS}`,
  );
  if (inserted === 0)
    throw conflict('TOO_MANY_ADJUSTMENTS', 'The affiliate has too many adjustments that are in no payout', {
      maximum: MAX_OPEN_ADJUSTMENTS,
    });
};

/** While a deduction is open, `payable` may be below zero by it. */
const transferOf = ({
  amount,
}: CreateAdjustmentInput): Pick<LedgerTransfer, 'kind' | 'from' | 'to' | 'amount' | 'openAdjustments'> =>
  amount > 0
    ? { kind: 'adjustment', from: 'merchant_expense', to: 'payable', amount }
    : { kind: 'adjustment', from: 'payable', to: 'merchant_expense', amount: -amount, openAdjustments: -amount };
