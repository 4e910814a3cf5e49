import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import type { SubscriptionOrder } from '../billing.queries.ts';
import { subscriptionInProgress } from '../subscription-state.ts';

export interface SaveOrderInput {
  requestId: string;
  /** Null: Stripe has answered. */
  order: SubscriptionOrder | null;
}

/**
 * Before an order is sent, so that a crash leaves it open, and after it was answered. SUBSCRIPTION_IN_PROGRESS when the request ran
 * out and another one began.
 */
export const saveOrder = (ctx: Context, { requestId, order }: SaveOrderInput): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const saved = await execute(
      ctx.em,
      sql`update billing_subscription set order_id = ${order?.id ?? null}::uuid, order_tier = ${order?.tier ?? null},
          ordered_at = ${order ? ctx.clock.now().toISOString() : null}::timestamptz,
          order_subscription_id = ${order?.changes?.id ?? null}, order_item_id = ${order?.changes?.itemId ?? null}
        where request_id = ${requestId}::uuid`,
    );
    if (saved === 0) throw subscriptionInProgress();
  });
