import type { Context } from '../../platform/context.ts';
import { AppError, conflict, invariant } from '../../platform/errors.ts';
import { openPayees } from '../payouts/index.ts';
import { hearPayeeAccount } from './payee-state.steps.ts';
import { listUnfinished } from './stripe-connections.queries.ts';
import { type ReservedConnection, reserveConnection } from './use-cases/stripe-connection.ts';

/** Accounts that one request looks at: the others keep what was heard last. */
const MAX_LOOKS = 3;

const unanswered = (): AppError => new AppError('INTERNAL_ERROR', 'Stripe did not answer; try again in a minute');

export interface Onboarding {
  merchantId: string;
  onboardingUrl: string | null;
}

/**
 * Connects the caller's account at Stripe, which is made once: its key is that of the connection. Safe to repeat after a crash at any place.
 * Throws STRIPE_REFUSED.
 */
export const createStripeConnection = async (
  ctx: Context,
  given: { merchantId: string; country: string },
): Promise<Onboarding> => {
  const { merchantId } = given;
  const reserved = await reserveConnection(ctx, given);
  const payees = await openPayees(ctx, reserved.railAccountId);
  const account = reserved.accountId ?? (await makeAccount(ctx, payees, reserved));
  const looked = await payees.look(account);
  if (!looked) throw unanswered();
  await hearPayeeAccount(ctx, { id: reserved.id }, looked);
  if (looked.state === 'ready') return { merchantId, onboardingUrl: null };
  const page = `${ctx.settings.publicUrl}/portal/details`;
  const onboardingUrl = await payees.onboard(account, { returnUrl: page, refreshUrl: page });
  if (onboardingUrl === null) throw unanswered();
  return { merchantId, onboardingUrl };
};

const makeAccount = async (
  ctx: Context,
  payees: Awaited<ReturnType<typeof openPayees>>,
  { id, email, country }: ReservedConnection,
): Promise<string> => {
  const made = await payees.create({ key: `stripe-connection-${id}`, email, country });
  if (!made) throw unanswered();
  if ('refused' in made)
    throw conflict('STRIPE_REFUSED', 'Stripe makes no account for you with this company', { stripeCode: made.refused });
  await hearPayeeAccount(ctx, { id }, made);
  invariant(made.account, 'an account has an id');
  return made.account;
};

/** Asks Stripe how accounts are whose owners are not done. What Stripe does not answer stays as it is. */
export const lookAtConnections = async (ctx: Context): Promise<void> => {
  for (const { railAccountId, connectionId, accountId } of await listUnfinished(ctx, MAX_LOOKS)) {
    const payees = await openPayees(ctx, railAccountId);
    const looked = accountId === null ? null : await payees.look(accountId);
    if (looked && connectionId !== null) await hearPayeeAccount(ctx, { id: connectionId }, looked);
  }
};
