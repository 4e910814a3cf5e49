import type { Context } from '../../../platform/context.ts';
import { AppError, conflict, invariant } from '../../../platform/errors.ts';
import { openPayees } from '../../payouts/index.ts';
import { hearPayeeAccount } from '../payee-state.steps.ts';
import { type ReservedConnection, reserveConnection } from './stripe-connection.ts';

const unanswered = (): AppError => new AppError('INTERNAL_ERROR', 'Stripe did not answer; try again in a minute');

interface Onboarding {
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
    throw conflict('STRIPE_REFUSED', 'Stripe makes no account for this affiliate with this company', {
      stripeCode: made.refused,
    });
  await hearPayeeAccount(ctx, { id }, made);
  invariant(made.account, 'an account has an id');
  return made.account;
};
