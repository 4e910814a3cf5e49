import { type Context, merchantOf } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { getProgram } from './programs.queries.ts';
import { isStripeAccountShared } from './stripe-connection.queries.ts';

/** Ends our access to the program's Stripe account, unless another program uses it. A network call: not in a transaction. */
export const revokeStripeAccess = async (ctx: Context, programId: string): Promise<void> => {
  const { stripeAccountId } = await getProgram(ctx, programId);
  const { stripeConnect } = ctx.settings;
  if (!stripeAccountId || !stripeConnect || (await isStripeAccountShared(ctx, programId, stripeAccountId))) return;
  if ((await stripeConnect.deauthorize(stripeAccountId)) === 'done') return;
  ctx.log.warn({ programId, merchantId: merchantOf(ctx) }, 'Stripe did not confirm the end of access to an account');
  throw new AppError('INTERNAL_ERROR', 'Stripe did not respond. Nothing was changed: try again');
};
