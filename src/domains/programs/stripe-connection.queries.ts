import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/** Whether other programs, of any merchant, use the same Stripe account: access to it is granted once for all of them. */
export const isStripeAccountShared = async (ctx: Context, programId: string, accountId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    db.selectFrom('program').select('id').where('stripeAccountId', '=', accountId).where('id', '!=', programId).limit(1),
  )) !== null;
