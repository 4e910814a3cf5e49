import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';

/** Lets the next request begin at once. Changes nothing when the request ran out and another one began. */
export const endSubscriptionRequest = (ctx: Context, { requestId }: { requestId: string }): Promise<number> =>
  inTransaction(ctx, (ctx) =>
    execute(
      ctx.em,
      sql`update billing_subscription set request_id = null, requested_until = null where request_id = ${requestId}::uuid`,
    ),
  );
