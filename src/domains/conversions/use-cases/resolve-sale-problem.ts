import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { db } from '../../tables.ts';
import { SALE_PROBLEM } from '../lists/sale-problems.queries.ts';
import { type SaleProblemView, toSaleProblem } from '../lists/sale-problems.wire.ts';

/** A person looked at the event and did what was needed. Resolving again changes nothing. */
export const resolveSaleProblem = (ctx: Context, { id, note }: { id: string; note: string }): Promise<SaleProblemView> =>
  inTransaction(ctx, async (ctx) => {
    const found = await firstRow(
      ctx.em,
      db.selectFrom('sale_problem').select(SALE_PROBLEM).select('merchantId').where('id', '=', id).forUpdate(),
    );
    const { merchantId, ...problem } = readOwned(ctx, 'Sale problem', found);
    if (problem.resolvedAt !== null) return toSaleProblem(problem);
    const resolvedAt = ctx.clock.now().toISOString();
    await execute(ctx.em, db.updateTable('sale_problem').set({ resolvedAt, note }).where('id', '=', id));
    const { eventId, reason } = problem;
    const change = { action: 'sale_problem.resolved', resourceId: id, after: { eventId, reason }, hidden: ['note'] } as const;
    await recordChange(ctx, { ownerId: merchantId, ...change });
    return toSaleProblem({ ...problem, resolvedAt });
  });
