import type { PayoutRunSnapshot } from '../../../contracts/workflows/payout-runs.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { flushPending, rows } from '../../../platform/database/sql.ts';
import { lockBalances } from '../../ledger/index.ts';
import { cancelUnsentPayout } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { lockRun } from '../lock-run.steps.ts';
import { leaveOutPlanned } from '../planned-items.steps.ts';
import { getRunSnapshot } from '../run-progress.queries.ts';

/** Payouts of one transaction, and how long it may take before it ends early. */
const PAGE = 100;
const PAGE_MS = 250;
/** Time for one step of the workflow: well below the timeout of its activity. */
const STEP_MS = 4 * SECOND_MS;

/** Fails the payouts of a cancelled run that have no attempt, for a few seconds. The next call continues where this one ended. */
export const cancelRunPayouts = async (ctx: Context, { runId }: { runId: string }): Promise<PayoutRunSnapshot> => {
  const endsAt = performance.now() + STEP_MS;
  await leaveOut(ctx, runId);
  while (performance.now() < endsAt && (await cancelPage(ctx, runId)) > 0);
  return getRunSnapshot(ctx, runId);
};

const leaveOut = (ctx: Context, runId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if ((await lockRun(ctx, runId)).status === 'cancelled') await leaveOutPlanned(ctx, runId);
  });

/** Returns how many it failed. Balances are locked in the order of ids, as everybody does. */
const cancelPage = (ctx: Context, runId: string): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    if ((await lockRun(ctx, runId)).status !== 'cancelled') return 0;
    const payouts = await rows(
      ctx.em,
      db
        .selectFrom('payout')
        .select(['id', 'affiliateId'])
        .where('payoutRunId', '=', runId)
        .where('status', '=', 'pending')
        .orderBy('affiliateId')
        .limit(PAGE),
    );
    await lockBalances(
      ctx,
      payouts.map(({ affiliateId }) => affiliateId),
    );
    // Starts after the wait for locks, so that each page does something.
    const endsAt = performance.now() + PAGE_MS;
    let cancelled = 0;
    for (const payout of payouts) {
      if (performance.now() > endsAt) break;
      const em = ctx.em.fork({ keepTransactionContext: true });
      await cancelUnsentPayout({ ...ctx, em }, payout);
      await flushPending(em);
      cancelled++;
    }
    return cancelled;
  });
