import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';

export interface EndSubscriptionRequestInput {
  requestId: string;
  /** Whether nothing of it is on its way to Stripe any more: then the next one is another order. */
  isOver: boolean;
}

/** Lets the next request begin at once. Changes nothing when the request ran out and another one began. */
export const endSubscriptionRequest = (ctx: Context, { requestId, isOver }: EndSubscriptionRequestInput): Promise<number> =>
  inTransaction(ctx, (ctx) =>
    execute(
      ctx.em,
      sql`update billing_subscription set request_id = null, requested_until = null, version = version + ${isOver ? 1 : 0}
        where request_id = ${requestId}::uuid`,
    ),
  );
