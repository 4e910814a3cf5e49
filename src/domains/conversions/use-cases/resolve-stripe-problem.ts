import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';

/** A person looked at the event and did what was needed. Resolving again changes nothing. */
export const resolveStripeProblem = (ctx: Context, input: { id: string; note: string }): Promise<{ id: string }> =>
  inTransaction(ctx, async (ctx) => {
    const found = await execute(
      ctx.em,
      sql`update stripe_problem set resolved_at = coalesce(resolved_at, ${ctx.clock.now().toISOString()}::timestamptz),
          note = coalesce(note, ${input.note}) where id = ${input.id}::uuid`,
    );
    if (found === 0) throw notFound('Stripe problem');
    return { id: input.id };
  });
