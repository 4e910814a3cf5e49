import type { EventType } from '../../../contracts/events.ts';
import type { FailureCode, PayoutStatus } from '../../../contracts/payouts.ts';
import { type Context, emit } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { type Movement, move } from '../../ledger/index.ts';
import type { Payout } from '../payout.entity.ts';
import { toPayout } from '../payouts.wire.ts';
import { type Happening, note } from '../timeline.ts';

/** One transition: state machine, timeline and event. The caller holds the payout's lock. */
const changeStatus = async (ctx: Context, payout: Payout, to: PayoutStatus, happening: Happening): Promise<void> => {
  const from = payout.status;
  payout.moveTo(to, ctx.clock.now());
  await ctx.em.flush();
  await note(ctx, payout, { ...happening, from, to });
  await announce(ctx, payout, `payout.${to}` as EventType);
};

export const announce = (ctx: Context, payout: Payout, type: EventType): Promise<void> =>
  emit(ctx, { type, merchantId: payout.merchantId, programId: payout.programId, data: toPayout(payout) });

type Booking = Pick<Movement, 'kind' | 'from' | 'to' | 'openAdjustments'>;

const book = (ctx: Context, payout: Payout, booking: Booking): Promise<void> =>
  move(ctx, {
    ...booking,
    amount: payout.amount,
    currency: payout.currency,
    merchantId: payout.merchantId,
    programId: payout.programId,
    affiliateId: payout.affiliateId,
    referenceId: payout.id,
  });

export const startProcessing = (ctx: Context, payout: Payout, happening: Happening): Promise<void> =>
  changeStatus(ctx, payout, 'processing', happening);

export const completePayout = async (ctx: Context, payout: Payout, happening: Happening): Promise<void> => {
  await changeStatus(ctx, payout, 'completed', happening);
  await book(ctx, payout, { kind: 'payout_completed', from: 'in_payout', to: 'paid' });
};

/** The money is payable again and its items are free for the next payout. */
export const failPayout = async (ctx: Context, payout: Payout, failureCode: FailureCode, happening: Happening): Promise<void> => {
  const returned = payout.status === 'completed';
  payout.failureCode = failureCode;
  await changeStatus(ctx, payout, 'failed', happening);
  const openAdjustments = await freeItems(ctx, payout.id);
  const movement = returned
    ? ({ kind: 'payout_returned', from: 'paid' } as const)
    : ({ kind: 'payout_failed', from: 'in_payout' } as const);
  await book(ctx, payout, { ...movement, to: 'payable', openAdjustments });
};

/** Returns what adjustments among the items owe again. */
const freeItems = async (ctx: Context, payoutId: string): Promise<number> => {
  const freed = await firstRow(
    ctx.em,
    sql<{ owed: number }>`with freed as (
        update payout_item set active = false where payout_id = ${payoutId}::uuid and active returning kind, amount)
      select coalesce(-sum(amount) filter (where kind = 'adjustment'), 0)::float8 as owed from freed`,
  );
  return freed?.owed ?? 0;
};
