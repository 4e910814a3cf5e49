import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { AppError } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { getProgram } from './programs.queries.ts';

/** Whether other programs, of any merchant, use the same Stripe account: access to it is granted once for all of them. */
const isStripeAccountShared = async (ctx: Context, programId: string, accountId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    db.selectFrom('program').select('id').where('stripeAccountId', '=', accountId).where('id', '!=', programId).limit(1),
  )) !== null;

/** Ends our access to an account that no program uses. A network call: not in a transaction. */
export const endUnusedAccess = async (
  ctx: Context,
  { programId, accountId }: { programId: string; accountId: string },
): Promise<boolean> => {
  const { stripeConnect } = ctx.settings;
  const { stripeAccountId } = await getProgram(ctx, programId);
  if (!stripeConnect || stripeAccountId === accountId || (await isStripeAccountShared(ctx, programId, accountId))) return true;
  return (await stripeConnect.deauthorize(accountId)) === 'done';
};

/** Ends our access to the program's Stripe account, unless another program uses it. A network call: not in a transaction. */
export const revokeStripeAccess = async (ctx: Context, programId: string): Promise<void> => {
  const { stripeAccountId } = await getProgram(ctx, programId);
  const { stripeConnect } = ctx.settings;
  if (!stripeAccountId || !stripeConnect || (await isStripeAccountShared(ctx, programId, stripeAccountId))) return;
  if ((await stripeConnect.deauthorize(stripeAccountId)) === 'done') return;
  ctx.log.warn({ programId, merchantId: merchantOf(ctx) }, 'Stripe did not confirm the end of access to an account');
  throw new AppError('INTERNAL_ERROR', 'Stripe did not respond. Nothing was changed: try again');
};
