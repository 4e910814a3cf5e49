import type { EventType } from '../../contracts/events.ts';
import type { FailureCode, PayoutStatus } from '../../contracts/payouts.ts';
import { type Context, emit } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { type LedgerTransfer, postTransfer } from '../ledger/index.ts';
import type { Payout } from './payout.entity.ts';
import { toPayout } from './payouts.wire.ts';
import { addTimelineEntry, type TimelineEntry } from './timeline.ts';

type NextStatus = Exclude<PayoutStatus, 'pending'>;

/** One transition: state machine, timeline and event. The caller holds the payout's lock. */
const changeStatus = async (ctx: Context, payout: Payout, to: NextStatus, entry: TimelineEntry): Promise<void> => {
  const from = payout.status;
  payout.transitionTo(to, ctx.clock.now());
  await ctx.em.flush();
  await addTimelineEntry(ctx, payout, { ...entry, from, to });
  await emitPayoutEvent(ctx, payout, `payout.${to}`);
};

export const emitPayoutEvent = (ctx: Context, payout: Payout, type: Extract<EventType, `payout.${string}`>): Promise<void> =>
  emit(ctx, { type, merchantId: payout.merchantId, programId: payout.programId, data: toPayout(payout) });

type PayoutTransfer = Pick<LedgerTransfer, 'kind' | 'from' | 'to' | 'openAdjustments'>;

const postPayoutTransfer = (ctx: Context, payout: Payout, booking: PayoutTransfer): Promise<void> =>
  postTransfer(ctx, {
    ...booking,
    amount: payout.amount,
    currency: payout.currency,
    merchantId: payout.merchantId,
    programId: payout.programId,
    affiliateId: payout.affiliateId,
    referenceId: payout.id,
  });

export const markProcessing = (ctx: Context, payout: Payout, entry: TimelineEntry): Promise<void> =>
  changeStatus(ctx, payout, 'processing', entry);

export const markCompleted = async (ctx: Context, payout: Payout, entry: TimelineEntry): Promise<void> => {
  await changeStatus(ctx, payout, 'completed', entry);
  await postPayoutTransfer(ctx, payout, { kind: 'payout_completed', from: 'in_payout', to: 'paid' });
};

/** The money is payable again and its items are free for the next payout. */
export const markFailed = async (ctx: Context, payout: Payout, failureCode: FailureCode, entry: TimelineEntry): Promise<void> => {
  const returned = payout.status === 'completed';
  payout.failureCode = failureCode;
  await changeStatus(ctx, payout, 'failed', entry);
  const openAdjustments = await releaseItems(ctx, payout.id);
  const movement = returned
    ? ({ kind: 'payout_returned', from: 'paid' } as const)
    : ({ kind: 'payout_failed', from: 'in_payout' } as const);
  await postPayoutTransfer(ctx, payout, { ...movement, to: 'payable', openAdjustments });
};

/** Returns what adjustments among the items owe again. */
const releaseItems = async (ctx: Context, payoutId: string): Promise<number> => {
  const freed = await firstRow(
    ctx.em,
    sql<{ owed: number }>`with freed as (
        update payout_item set active = false where payout_id = ${payoutId}::uuid and active returning kind, amount)
      select coalesce(-sum(amount) filter (where kind = 'adjustment'), 0)::float8 as owed from freed`,
  );
  return freed?.owed ?? 0;
};
