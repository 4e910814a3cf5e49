import { z } from 'zod';
import { makePerson } from '../support/applications.ts';
import { makeAffiliateKey, unique } from '../support/factories.ts';
import { openRetryingClient } from './retrying-client.ts';
import { chance, count, type Merchant, type Person, type World } from './world.ts';

/** By the local part of a PayPal address, the sandbox provider does this with payouts (`src/local/sandbox-provider/scripts.ts`). */
const PAYMENT_SCRIPTS = [
  ...Array<string>(14).fill('ok'),
  'fail-definite',
  'fail-closed',
  'fail-later',
  'unknown-paid',
  'unknown-unpaid-always',
  'slow-before',
  'returned',
  'fee',
  'fee-returned',
  'fee-kept',
  'limit-429',
  'fail-500-after',
  'duplicate-id',
  'accepted-only',
  'notifications-twice',
  'notifications-reversed',
  'notifications-off',
];

const IBAN = 'DE89370400440532013000';

type Join = (world: World, merchant: Merchant) => Promise<void>;

const makeLogin = async (world: World, merchant: Merchant): Promise<Person> => {
  const { random } = merchant;
  const { runtime } = world.system;
  const { profileId, email } = await makePerson(runtime, { email: `ada-${unique()}@affiliates.example` });
  const client = openRetryingClient(`${world.origin}/api/v1`, await makeAffiliateKey(runtime, profileId));
  const details = chance(random, merchant.plan.bankTransfers)
    ? { payoutMethod: 'bank_transfer', bankIban: IBAN, bankAccountHolder: `Ada ${unique()}` }
    : { payoutMethod: 'paypal', paypalEmail: `${random.pick(PAYMENT_SCRIPTS)}+${unique()}@affiliates.example` };
  await client.send(z.unknown(), 'PATCH', '/me/payout-info', details);
  return { profileId, email, client };
};

const joined = z.object({ affiliateId: z.string(), status: z.string() });

/** Those who are not approved at once wait for the merchant. */
const welcomeOrWait = async (
  world: World,
  merchant: Merchant,
  { affiliateId, status }: z.infer<typeof joined>,
  person: Person,
): Promise<void> => {
  if (status === 'pending') merchant.applicants.set(affiliateId, person);
  else await welcome(world, merchant, { affiliateId, email: person.email, person });
};

const memberShape = z.object({ code: z.string() });

/** An approved affiliate begins to promote, some of them with a coupon. */
export const welcome = async (
  world: World,
  { client, plan, programId, affiliates, random }: Merchant,
  { affiliateId, email, person }: { affiliateId: string; email: string; person: Person | null },
): Promise<void> => {
  const { code } = await client.get(memberShape, `/affiliates/${affiliateId}`);
  let couponCode: string | null = null;
  if (chance(random, plan.coupons)) {
    couponCode = `SAVE-${unique()}`;
    await client.send(z.unknown(), 'POST', `/programs/${programId}/coupons`, { affiliateId, code: couponCode });
  }
  affiliates.push({ affiliateId, code, person, email, couponCode, clicks: [], customers: [], blockedOn: null });
  count(world, 'affiliates');
};

const apply: Join = async (world, merchant) => {
  const person = await makeLogin(world, merchant);
  const body = { message: 'I write about this.' };
  const application = await person.client.send(joined, 'POST', `/marketplace/apply/${merchant.programId}`, body);
  count(world, 'applications');
  await welcomeOrWait(world, merchant, application, person);
};

const claimInvite: Join = async (world, merchant) => {
  const { client, programId, random } = merchant;
  const person = await makeLogin(world, merchant);
  const invite = { email: person.email, skipOnboarding: chance(random, 70) };
  const { token } = await client.send(z.object({ token: z.string() }), 'POST', `/programs/${programId}/invites`, invite);
  const application = await person.client.send(joined, 'POST', `/invites/${token}/claim`);
  count(world, 'invites claimed');
  await welcomeOrWait(world, merchant, application, person);
};

const addByMerchant: Join = async (world, merchant) => {
  const { client, programId } = merchant;
  const email = `grace-${unique()}@affiliates.example`;
  const body = { programId, email, paypalEmail: `ok+${unique()}@affiliates.example` };
  const added = await client.send(z.object({ id: z.string() }), 'POST', '/affiliates', body);
  await welcome(world, merchant, { affiliateId: added.id, email, person: null });
};

const WAYS: readonly Join[] = [apply, apply, claimInvite, claimInvite, addByMerchant];

/** Somebody joins the program, by application, by invite or added by the merchant. */
export const joinSomebody: Join = (world, merchant) => merchant.random.pick(WAYS)(world, merchant);

/** One of each, so that every program has affiliates on its first day. */
export const joinFirst: Join = async (world, merchant) => {
  for (const way of WAYS) await way(world, merchant);
};
