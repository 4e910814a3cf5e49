import type { Resolution } from '../../contracts/payouts.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import type { Contradiction } from './machine/state.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { startContradictionWorkflow } from './payout-workflow.steps.ts';

export interface OpenContradiction extends Contradiction {
  n: number;
}

/** Stores what is contradicted, for a workflow that waits until a person resolves it. Returns its number. */
export const openContradiction = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  { recorded, reported }: Contradiction,
): Promise<number> => {
  const next = db
    .selectFrom('payout_contradiction')
    .select([
      sql<string>`${payout.id}::uuid`.as('payoutId'),
      sql<number>`coalesce(max(n), 0) + 1`.as('n'),
      sql<string>`${attempt.id}::uuid`.as('attemptId'),
      sql<string>`${recorded}::text`.as('recorded'),
      sql<string>`${reported}::text`.as('reported'),
      sql<string>`${ctx.clock.now().toISOString()}::timestamptz`.as('openedAt'),
    ])
    .where('payoutId', '=', payout.id);
  const opened = await firstRow(
    ctx.em,
    db
      .insertInto('payout_contradiction')
      .columns(['payoutId', 'n', 'attemptId', 'recorded', 'reported', 'openedAt'])
      .expression(next)
      .returning('n'),
  );
  invariant(opened, 'the insert returns its row');
  await startContradictionWorkflow(ctx, payout, opened.n);
  return opened.n;
};

/** The open one was about an accepted order, which the provider reports as paid now. */
export const raiseContradiction = async (ctx: Context, payout: Payout): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('payout_contradiction')
      .set({ reported: 'paid' })
      .where('payoutId', '=', payout.id)
      .where('resolvedAt', 'is', null),
  );
};

/** The caller holds the payout's lock. */
export const findOpenContradiction = (ctx: Context, payoutId: string): Promise<OpenContradiction | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('payout_contradiction')
      .select(['n', 'recorded', 'reported'])
      .where('payoutId', '=', payoutId)
      .where('resolvedAt', 'is', null),
  );

export const closeContradiction = async (
  ctx: Context,
  payout: Payout,
  { n, resolution, note }: { n: number; resolution: Resolution; note: string },
): Promise<void> => {
  const resolved = { resolvedAt: ctx.clock.now(), resolution, note, resolvedBy: actorName(ctx.actor) };
  await execute(
    ctx.em,
    db.updateTable('payout_contradiction').set(resolved).where('payoutId', '=', payout.id).where('n', '=', n),
  );
  await startContradictionWorkflow(ctx, payout, n, 'resolved');
};
