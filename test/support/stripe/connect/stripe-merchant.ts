import { storeRailAccount } from '../../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { stripeConnectRail } from '../../../../src/domains/payouts/rails/stripe_connect/stripe-connect.ts';
import type { TestApi } from '../../api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makePayable, makeProgram, unique } from '../../factories.ts';
import { platformKey, type StripeConnectServer } from './connect-server.ts';

const system = { kind: 'system', name: 'test' } as const;

/** A merchant that pays through Stripe, with money there and its webhooks made. */
export const makeStripeMerchant = async (api: TestApi, stripe: StripeConnectServer) => {
  const merchant = await makeMerchant(api.runtime);
  const { merchantId } = merchant;
  const program = await makeProgram(api, merchant.key);
  const secretKey = platformKey(unique());
  await stripe.setBalance(secretKey, 'usd', 10_000_000);
  const ctx = api.runtime.context(system);
  const tools = { ...ctx.settings.rails.toolsOf('stripe_connect', merchantId), providerUrl: stripe.url };
  const rail = stripeConnectRail.open({ secretKey }, tools);
  const learned = (await rail.check())?.learned;
  await rail.close();
  const railAccountId = await storeRailAccount(ctx, { merchantId, rail: 'stripe_connect', account: { secretKey, ...learned } });
  return { ...merchant, ...program, merchant, secretKey, railAccountId };
};

export type StripeMerchant = Awaited<ReturnType<typeof makeStripeMerchant>>;

/** A member with a key, and payout details unless `local` is null. */
export const makeMember = async (api: TestApi, { programId }: { programId: string }, local?: string | null) => {
  const affiliate = await makeAffiliate(api.runtime, programId, local);
  return { ...affiliate, affiliateKey: await makeAffiliateKey(api.runtime, affiliate.profileId) };
};

/** A member to whom the merchant owes 20.00 of a new program. */
export const makeOwed = async (api: TestApi, { merchant }: StripeMerchant, local?: string | null) => {
  const owed = await makePayable(api, { merchant, ...(local === undefined ? {} : { local }) });
  return { ...owed, affiliateKey: await makeAffiliateKey(api.runtime, owed.profileId) };
};

/** Connects, and lets Stripe decide that the member may receive. Returns the account. */
export const connectMember = async (
  api: TestApi,
  stripe: StripeConnectServer,
  { merchant, affiliateKey }: { merchant: StripeMerchant; affiliateKey: string },
): Promise<string> => {
  const { merchantId, secretKey } = merchant;
  const made = await api.call('POST', '/me/stripe-connections', { key: affiliateKey, body: { merchantId, country: 'DE' } });
  if (made.status !== 200) throw new Error(`not connected: ${made.text}`);
  const account = /setup\/(acct_\w+)\//.exec(made.data.onboardingUrl)?.[1] ?? '';
  await stripe.setPayee(secretKey, account, { status: 'active', due: [] });
  await api.call('GET', '/me/stripe-connections', { key: affiliateKey });
  return account;
};
