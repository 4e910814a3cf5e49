import type { StripeProblemReason } from '../../../contracts/conversions.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, rows, toIso } from '../../../platform/database/sql.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';

export interface StripeProblem {
  eventId: string;
  eventType: string;
  objectId: string | null;
  reason: StripeProblemReason;
}

/** Stored once per event. Stripe is told that the event arrived: repeating it for days would not change it. */
export const storeStripeProblem = (ctx: Context, merchantId: string, problem: StripeProblem): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('stripe_problem')
      .values({ id: ctx.ids.next(), merchantId, ...problem, createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) => conflict.columns(['merchantId', 'eventId']).doNothing()),
  );

/** What the event contradicts or violates; null for a fault, which Stripe has to repeat. */
export const problemReasonOf = (error: unknown): StripeProblemReason | null => {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'VALIDATION_ERROR') return 'REJECTED';
  if (error.code !== 'CONFLICT') return null;
  return error.details?.['reason'] === 'PAYLOAD_MISMATCH' ? 'PAYLOAD_MISMATCH' : 'REJECTED';
};

export interface OpenStripeProblem extends StripeProblem {
  id: string;
  merchantId: string;
  createdAt: string;
}

/** Problems that no person resolved, oldest first. */
export const listStripeProblems = async (ctx: Context, { limit }: { limit: number }): Promise<OpenStripeProblem[]> => {
  const open = await rows(
    ctx.em,
    db
      .selectFrom('stripe_problem')
      .select(['id', 'merchantId', 'eventId', 'eventType', 'objectId', 'reason', 'createdAt'])
      .where('resolvedAt', 'is', null)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit),
  );
  return open.map((problem) => ({ ...problem, createdAt: toIso(problem.createdAt) }));
};

/** A person looked at the event and did what was needed. Resolving again changes nothing. */
export const resolveStripeProblem = (ctx: Context, { id, note }: { id: string; note: string }): Promise<{ id: string }> =>
  inTransaction(ctx, async (ctx) => {
    const resolvedAt = ctx.clock.now().toISOString();
    const found = await execute(
      ctx.em,
      db
        .updateTable('stripe_problem')
        .set(({ fn, val }) => ({
          resolvedAt: fn.coalesce('resolvedAt', val(resolvedAt)),
          note: fn.coalesce('note', val(note)),
        }))
        .where('id', '=', id),
    );
    if (found === 0) throw notFound('Stripe problem');
    return { id };
  });
