import { after, MINUTE_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { subscriptionInProgress } from '../subscription-state.ts';

/** Longer than all calls of one request may take. */
const LEASE_MS = MINUTE_MS;

/**
 * Lets one request at a time talk to Stripe for a merchant, so that no customer gets two subscriptions: the others get
 * SUBSCRIPTION_IN_PROGRESS. A crash ends it after a minute. Returns the customer at Stripe; null before there is one.
 */
export const beginSubscription = (ctx: Context, input: { merchantId: string; requestId: string }): Promise<string | null> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const begun = await firstRow(
      ctx.em,
      sql<{ customerId: string | null }>`insert into billing_subscription as s (merchant_id, request_id, requested_until) values
        (${input.merchantId}::uuid, ${input.requestId}::uuid, ${after(now, LEASE_MS).toISOString()}::timestamptz)
        on conflict (merchant_id) do update set request_id = excluded.request_id, requested_until = excluded.requested_until
          where s.requested_until is null or s.requested_until <= ${now.toISOString()}::timestamptz
        returning s.stripe_customer_id as "customerId"`,
    );
    if (!begun) throw subscriptionInProgress();
    return begun.customerId;
  });
