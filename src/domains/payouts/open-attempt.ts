import type { Context } from '../../platform/context.ts';
import { applyMatchedNotifications } from './apply-rail-status.ts';
import type { Payout } from './payout.entity.ts';
import { attemptKey, PayoutAttempt } from './payout-attempt.entity.ts';
import { type AttemptBlock, type AttemptConditions, findAttemptConditions } from './payout-state.queries.ts';
import { markFailed, markProcessing } from './payout-transitions.ts';
import { type PreparedSend, prepareSend } from './send-order.ts';

const createAttempt = (ctx: Context, { id, rail }: Payout): PayoutAttempt =>
  ctx.em.create(PayoutAttempt, { id: ctx.ids.next(), payoutId: id, n: 1, rail, createdAt: ctx.clock.now() });

const reserve = (ctx: Context, payout: Payout, { n }: PayoutAttempt): Promise<void> =>
  markProcessing(ctx, payout, { type: 'attempt_reserved', attempt: n });

/**
 * Fails a pending payout when its affiliate is blocked, one of its commissions is held or its run is cancelled. Returns what
 * blocks its first attempt, or null.
 * The lock of the payout decides between an approval and an attempt.
 */
export const applyAttemptBlock = async (ctx: Context, payout: Payout): Promise<AttemptBlock | null> =>
  (await checkConditions(ctx, payout)).block;

const checkConditions = async (ctx: Context, payout: Payout): Promise<AttemptConditions> => {
  const conditions = await findAttemptConditions(ctx, payout, attemptKey(payout.id, 1));
  const { block } = conditions;
  if (block === 'affiliate_blocked' || block === 'items_held') await markFailed(ctx, payout, block, { type: block });
  else if (block === 'run_cancelled') await markFailed(ctx, payout, 'cancelled', { type: 'cancelled', reason: block });
  else if (payout.isAwaitingApproval()) return { ...conditions, block: 'awaiting_approval' };
  return conditions;
};

/**
 * Reserves the attempt of a pending manual payout and moves it to processing, unless something blocks it. Returns the
 * block. The caller holds the payout's lock.
 */
export const openManualAttempt = async (ctx: Context, payout: Payout): Promise<AttemptBlock | null> => {
  const block = await applyAttemptBlock(ctx, payout);
  if (!block) await reserve(ctx, payout, createAttempt(ctx, payout));
  return block;
};

/**
 * Stores the first attempt of a pending payout as sent and moves it to processing. Returns the order to send after the
 * commit, or null when something blocks it or the provider knows the transfer already. The caller holds the payout's lock.
 */
export const openRailAttempt = async (ctx: Context, payout: Payout): Promise<PreparedSend | null> => {
  const { block, isNotified } = await checkConditions(ctx, payout);
  if (block) return null;
  const attempt = createAttempt(ctx, payout);
  if (isNotified) {
    await openKnownAttempt(ctx, payout, attempt);
    return null;
  }
  const send = prepareSend(ctx, payout, attempt);
  await reserve(ctx, payout, attempt);
  return send;
};

/**
 * Not sent: after the restore of a backup the provider may know the transfer, longer than it remembers its key. What it
 * reported is applied, and a look-up follows while that is not final.
 */
const openKnownAttempt = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  attempt.markKnown(ctx.clock.now());
  await reserve(ctx, payout, attempt);
  await applyMatchedNotifications(ctx, payout, attempt);
};
