import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';

export const saveStripeCustomer = (ctx: Context, input: { merchantId: string; customerId: string }): Promise<number> =>
  inTransaction(ctx, (ctx) =>
    execute(
      ctx.em,
      sql`update billing_subscription set stripe_customer_id = ${input.customerId} where merchant_id = ${input.merchantId}::uuid`,
    ),
  );
