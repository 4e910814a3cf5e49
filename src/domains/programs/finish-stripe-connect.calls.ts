import type { Context } from '../../platform/context.ts';
import { endUnusedAccess } from './revoke-stripe-access.calls.ts';
import { findStripeRequest, type PendingStripeAccount, saveStripeAccount, takeStripeAccount } from './stripe-requests.steps.ts';
import { readStripeState } from './stripe-state.rules.ts';
import { completeStripeConnection, useStripeRequest } from './use-cases/stripe-connection.ts';

export type StripeConnectOutcome =
  | 'connected'
  | 'cancelled'
  | 'denied'
  | 'invalid'
  | 'other_browser'
  | 'rejected'
  | 'other_account'
  | 'unavailable';

/** The page at Stripe for a URL of `connectStripe`; null when it cannot be used any more. */
export const beginStripeConnect = async (ctx: Context, { state }: { state: string }): Promise<string | null> => {
  const { stripeConnect } = ctx.settings;
  const id = readStripeState(ctx.cipher, state);
  if (!stripeConnect || id === null || !(await findStripeRequest(ctx, id))) return null;
  return stripeConnect.authorizeUrl(state);
};

/**
 * What the browser brings back from Stripe. The state is used up before the code is exchanged, so that neither can be
 * used twice; between the two transactions is the call to Stripe. Returns what a person has to confirm, or why there is nothing.
 */
export const finishStripeConnect = async (
  ctx: Context,
  { state, code, isSameBrowser }: { state: string; code: string | null; isSameBrowser: boolean },
): Promise<StripeConnectOutcome | PendingStripeAccount> => {
  const { stripeConnect } = ctx.settings;
  const id = readStripeState(ctx.cipher, state);
  if (!stripeConnect || id === null) return 'invalid';
  // Somebody else began, and would get what this browser's user grants.
  if (!isSameBrowser) return 'other_browser';
  const request = await useStripeRequest(ctx, { state: id });
  if (!request) return 'invalid';
  if (code === null) return 'denied';
  const result = await stripeConnect.exchangeCode(code);
  if (result.outcome !== 'connected') return result.outcome;
  const { accountId, livemode } = result;
  return (await saveStripeAccount(ctx, { state: id, accountId, livemode })) ?? 'invalid';
};

/** The decision of the person who granted access. It can be made once. */
export const decideStripeConnect = async (
  ctx: Context,
  { state, accept, isSameBrowser }: { state: string; accept: boolean; isSameBrowser: boolean },
): Promise<StripeConnectOutcome> => {
  const id = readStripeState(ctx.cipher, state);
  if (id === null) return 'invalid';
  if (!isSameBrowser) return 'other_browser';
  const taken = await takeStripeAccount(ctx, { state: id });
  if (!taken) return 'invalid';
  if (accept) return (await completeStripeConnection(ctx, taken)) ? 'connected' : 'other_account';
  return (await endUnusedAccess(ctx, taken)) ? 'cancelled' : 'unavailable';
};
