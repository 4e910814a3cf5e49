import { PAGES } from '../../src/console/pages/index.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { hiddenFields, pageProblems, useConsole } from '../support/console.ts';
import { makeKey, makeMerchant, makeProgram } from '../support/factories.ts';
import { startStripeConnect } from '../support/stripe/connect/connect-server.ts';
import { makeMember, makeStripeMerchant } from '../support/stripe/connect/stripe-merchant.ts';

const stripe = await startStripeConnect();
const pages = useConsole(PAGES, { STRIPE_API_URL: stripe.url });
const { api, sessions } = pages;
afterAll(() => stripe.close());

const AT = '/portal/details';

const signIn = async (profileId: string, locale?: string) => {
  const { keyId } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const actor = { kind: 'key', keyId, keyType: 'affiliate', ownerId: profileId, scopes: SCOPES_OF.affiliate } as const;
  const affiliate = { actor, ownerId: profileId, name: 'Ada Test', perMinute: 1_000 };
  return sessions.open(locale === undefined ? { affiliate } : { affiliate, locale });
};

test('an affiliate connects, goes on at Stripe, is paid there and disconnects', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const { profileId } = await makeMember(api, merchant);
  const session = await signIn(profileId);
  const send = async (sentForm: string, fields: Record<string, string> = {}) => {
    const { html } = await pages.get(AT, { session });
    return pages.post(AT, { ...hiddenFields(html), ...fields, merchantId: merchant.merchantId, sentForm }, { session });
  };
  const before = (await pages.get(AT, { session })).html;
  expect(before).toContain('Not connected. You are paid to your payout details.');
  expect(pageProblems(before)).toEqual([]);
  const connected = await send('connectStripe', { country: 'DE' });
  const account = /connect\.stripe\.test\/setup\/(acct_\w+)\//.exec(connected.html)?.[1] ?? '';
  expect(connected.html).toContain('The link works once');
  const waiting = (await pages.get(AT, { session })).html;
  expect(waiting).toContain('Stripe still needs: a bank account, an identity document, your agreement to its terms');
  await stripe.setPayee(merchant.secretKey, account, { status: 'active', due: [] });
  expect((await pages.get(AT, { session })).html).toContain('The company pays you at Stripe');
  expect((await send('disconnectStripe')).location).toContain(AT);
  expect((await pages.get(AT, { session })).html).toContain('Not connected.');
});

test('the section is in German, and absent where no company pays through Stripe', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const { profileId } = await makeMember(api, merchant);
  const german = await pages.get(AT, { session: await signIn(profileId, 'de-DE') });
  expect(german.html).toContain('Stripe verbinden');
  expect(german.html).toContain('Deutschland');

  const other = await makeMember(api, await makeProgram(api, (await makeMerchant(api.runtime)).key));
  expect((await pages.get(AT, { session: await signIn(other.profileId) })).html).not.toContain('Stripe');
});
