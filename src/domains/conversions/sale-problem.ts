import type { SaleProblemReason } from '../../contracts/conversions.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, rows, toIso } from '../../platform/database/sql.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { db } from '../tables.ts';

export interface SaleProblem {
  eventId: string;
  eventType: string;
  objectId: string | null;
  reason: SaleProblemReason;
  /** Paths of the members that could not be used; null for a problem with all of the event. */
  fields?: string[] | null;
}

/** Stored once per event. Stripe is told that the event arrived: repeating it for days would not change it. */
export const storeSaleProblem = (ctx: Context, merchantId: string, problem: SaleProblem): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('sale_problem')
      .values({ id: ctx.ids.next(), merchantId, ...problem, createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) => conflict.columns(['merchantId', 'eventId']).doNothing()),
  );

/** What the event contradicts or violates; null for a fault, which Stripe has to repeat. */
export const problemReasonOf = (error: unknown): SaleProblemReason | null => {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'VALIDATION_ERROR') return 'REJECTED';
  if (error.code !== 'CONFLICT') return null;
  return error.details?.['reason'] === 'PAYLOAD_MISMATCH' ? 'PAYLOAD_MISMATCH' : 'REJECTED';
};

export interface OpenSaleProblem extends SaleProblem {
  id: string;
  fields: string[] | null;
  merchantId: string;
  createdAt: string;
}

/** Problems that no person resolved, oldest first. */
export const listSaleProblems = async (ctx: Context, { limit }: { limit: number }): Promise<OpenSaleProblem[]> => {
  const open = await rows(
    ctx.em,
    db
      .selectFrom('sale_problem')
      .select(['id', 'merchantId', 'eventId', 'eventType', 'objectId', 'reason', 'fields', 'createdAt'])
      .where('resolvedAt', 'is', null)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit),
  );
  return open.map((problem) => ({ ...problem, createdAt: toIso(problem.createdAt) }));
};

/** A person looked at the event and did what was needed. Resolving again changes nothing. */
export const resolveSaleProblem = (ctx: Context, { id, note }: { id: string; note: string }): Promise<{ id: string }> =>
  inTransaction(ctx, async (ctx) => {
    const problem = await firstRow(
      ctx.em,
      db.selectFrom('sale_problem').select(['merchantId', 'eventId', 'reason', 'resolvedAt']).where('id', '=', id).forUpdate(),
    );
    if (!problem) throw notFound('Sale problem');
    if (problem.resolvedAt !== null) return { id };
    const resolvedAt = ctx.clock.now().toISOString();
    await execute(ctx.em, db.updateTable('sale_problem').set({ resolvedAt, note }).where('id', '=', id));
    const { merchantId, eventId, reason } = problem;
    const change = { action: 'sale_problem.resolved', resourceId: id, after: { eventId, reason }, hidden: ['note'] } as const;
    await recordChange(ctx, { ownerId: merchantId, ...change });
    return { id };
  });
