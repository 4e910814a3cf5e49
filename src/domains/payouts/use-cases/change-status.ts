import type { EventType } from '../../../contracts/events.ts';
import type { Account, MovementKind } from '../../../contracts/ledger.ts';
import type { FailureCode, PayoutStatus } from '../../../contracts/payouts.ts';
import { type Context, emit } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { move } from '../../ledger/index.ts';
import type { Payout } from '../payout.entity.ts';
import { toPayout } from '../payouts.wire.ts';
import { type Happening, note, type StoryRun } from '../timeline.ts';

/** One transition: state machine, timeline and event. The caller holds the payout's lock. */
const changeStatus = async (ctx: Context, payout: Payout, to: PayoutStatus, happening: Happening, run?: StoryRun): Promise<void> => {
  const from = payout.status;
  payout.moveTo(to, ctx.clock.now());
  await ctx.em.flush();
  await note(ctx, payout, { ...happening, from, to }, run);
  await announce(ctx, payout, `payout.${to}` as EventType);
};

export const announce = (ctx: Context, payout: Payout, type: EventType): Promise<void> =>
  emit(ctx, { type, merchantId: payout.merchantId, programId: payout.programId, data: toPayout(payout) });

const book = (ctx: Context, payout: Payout, kind: MovementKind, from: Account, to: Account, openAdjustments = 0): Promise<void> =>
  move(ctx, {
    kind,
    from,
    to,
    amount: payout.amount,
    currency: payout.currency,
    merchantId: payout.merchantId,
    programId: payout.programId,
    affiliateId: payout.affiliateId,
    referenceId: payout.id,
    openAdjustments,
  });

export const startProcessing = (ctx: Context, payout: Payout, happening: Happening, run?: StoryRun): Promise<void> =>
  changeStatus(ctx, payout, 'processing', happening, run);

export const completePayout = async (ctx: Context, payout: Payout, happening: Happening, run?: StoryRun): Promise<void> => {
  await changeStatus(ctx, payout, 'completed', happening, run);
  await book(ctx, payout, 'payout_completed', 'in_payout', 'paid');
};

/** The money is payable again and its items are free for the next payout. */
export const failPayout = async (
  ctx: Context,
  payout: Payout,
  failureCode: FailureCode,
  happening: Happening,
  run?: StoryRun,
): Promise<void> => {
  const returned = payout.status === 'completed';
  payout.failureCode = failureCode;
  await changeStatus(ctx, payout, 'failed', happening, run);
  const reopened = await freeItems(ctx, payout.id);
  if (returned) await book(ctx, payout, 'payout_returned', 'paid', 'payable', reopened);
  else await book(ctx, payout, 'payout_failed', 'in_payout', 'payable', reopened);
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
