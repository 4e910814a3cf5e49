import type { Context } from '../../platform/context.ts';
import { readStripeState } from './stripe-state.ts';
import { completeStripeConnection } from './use-cases/complete-stripe-connection.ts';
import { useStripeRequest } from './use-cases/use-stripe-request.ts';

export type StripeConnectOutcome = 'connected' | 'denied' | 'invalid' | 'rejected' | 'other_account' | 'unavailable';

/**
 * What the browser brings back from Stripe. The state is used up before the code is exchanged, so that neither can be
 * used twice; between the two transactions is the call to Stripe.
 */
export const finishStripeConnect = async (
  ctx: Context,
  { state, code }: { state: string; code: string | null },
): Promise<StripeConnectOutcome> => {
  const { stripeConnect } = ctx.settings;
  const id = readStripeState(ctx.cipher, state);
  if (!stripeConnect || id === null) return 'invalid';
  const request = await useStripeRequest(ctx, { state: id });
  if (!request) return 'invalid';
  if (code === null) return 'denied';
  const result = await stripeConnect.exchangeCode(code);
  if (result.outcome !== 'connected') return result.outcome;
  const { accountId, livemode } = result;
  const isConnected = await completeStripeConnection(ctx, { ...request, accountId, livemode });
  return isConnected ? 'connected' : 'other_account';
};
