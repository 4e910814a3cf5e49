import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';

/** Whether other programs, of any merchant, use the same Stripe account: access to it is granted once for all of them. */
export const isStripeAccountShared = async (ctx: Context, programId: string, accountId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    sql`select 1 from program where stripe_account_id = ${accountId} and id <> ${programId}::uuid limit 1`,
  )) !== null;
