import type { CancelledWork } from '../../../contracts/approvals.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { flushPending, rows, sql } from '../../../platform/database/sql.ts';
import { isGone } from '../../auth/index.ts';
import { lockBalances } from '../../ledger/index.ts';
import { db } from '../../tables.ts';
import { perform } from '../machine/apply.ts';
import { lockOwnState, lockState } from '../machine/load.ts';
import type { Payout } from '../payout.entity.ts';

/**
 * Until the first attempt exists; the row lock decides a race with the workflow. What the provider may still cancel, the workflow then asks it
 * to: the payout returned is not cancelled yet.
 */
export const cancelPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, input.id);
    await perform(ctx, locked, { type: 'cancel' });
    return locked.payout;
  });

/** A payout of a cancelled run, unless it has an attempt. The caller's transaction locked the balance, or locks one payout only. */
export const cancelUnsentPayout = async (ctx: Context, { id }: { id: string }): Promise<void> => {
  await perform(ctx, await lockState(ctx, id), { type: 'withdraw', because: 'run_cancelled' });
};

const BATCH = 50;

/**
 * Payouts that wait for approval in the name of somebody who may no longer pay, of one merchant or of all: at most a batch. Balances are
 * locked in the order of ids, as everybody does.
 */
export const cancelPayoutsOfGone = (ctx: Context, merchantId: string | null): Promise<CancelledWork[]> =>
  inTransaction(ctx, async (ctx) => {
    const found = db
      .selectFrom('payout')
      .select(['id', 'affiliateId'])
      .where(sql<boolean>`status = 'pending' and approval_required_at is not null and approved_at is null`)
      .where(isGone({ actor: sql`payout.created_by`, merchantId: sql`payout.merchant_id`, scope: 'payouts:write' }))
      .orderBy('affiliateId')
      .limit(sql.lit(BATCH));
    const waiting = await rows(ctx.em, merchantId === null ? found : found.where('merchantId', '=', merchantId));
    await lockBalances(
      ctx,
      waiting.map(({ affiliateId }) => affiliateId),
    );
    const cancelled: CancelledWork[] = [];
    for (const { id } of waiting) {
      const em = ctx.em.fork({ keepTransactionContext: true });
      if (await cancelWaiting({ ...ctx, em }, id)) cancelled.push({ kind: 'payout', id });
      await flushPending(em);
    }
    return cancelled;
  });

/** Whether it still waited. */
const cancelWaiting = async (ctx: Context, id: string): Promise<boolean> => {
  const { steps } = await perform(ctx, await lockState(ctx, id), { type: 'withdraw', because: 'creator_gone' });
  return steps.length > 0;
};
