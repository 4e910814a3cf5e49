import { type OwnTestApi, openTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { connectInBrowser } from '../../support/stripe/connect-in-browser.ts';
import { STRIPE_PLATFORM, type StripeServer, startStripeServer } from '../../support/stripe/stripe-server.ts';

let stripe: StripeServer;
let api: OwnTestApi;
beforeAll(async () => {
  stripe = await startStripeServer();
  api = await openTestApi({ ...STRIPE_PLATFORM, STRIPE_API_URL: stripe.url });
});
afterAll(async () => {
  await api.close();
  await stripe.close();
});

const connected = async (account = `acct_${unique()}`, owner?: Awaited<ReturnType<typeof makeMerchant>>) => {
  const merchant = owner ?? (await makeMerchant(api.runtime));
  const program = await makeProgram(api, merchant.key);
  const started = await api.call('POST', `/programs/${program.programId}/connect-stripe`, { key: merchant.key });
  const page = await connectInBrowser(api, stripe, { authUrl: started.data.authUrl, account });
  if (page.status !== 200) throw new Error(`not connected: ${page.text}`);
  return { ...merchant, ...program, merchant, account };
};

const disconnect = ({ key, programId }: { key: string; programId: string }) =>
  api.call('DELETE', `/programs/${programId}/connect-stripe`, { key });

test('the access ends at Stripe and in the program; a second call changes nothing', async () => {
  const made = await connected();
  expect(await stripe.connected()).toContain(made.account);
  for (let call = 0; call < 2; call++) {
    expect(await disconnect(made)).toMatchObject({ status: 200, data: { success: true, programId: made.programId } });
  }
  expect(await stripe.connected()).not.toContain(made.account);
  const { data } = await api.call('GET', `/programs/${made.programId}`, { key: made.key });
  expect(data).toMatchObject({ stripeAccountId: null, stripeConnectedAt: null });
});

test('an account that another program uses stays connected until the last program leaves', async () => {
  const first = await connected();
  const second = await connected(first.account, first.merchant);
  await disconnect(first);
  expect(await stripe.connected()).toContain(first.account);
  await disconnect(second);
  expect(await stripe.connected()).not.toContain(first.account);
});

test('a program can be connected again', async () => {
  const made = await connected();
  await disconnect(made);
  const started = await api.call('POST', `/programs/${made.programId}/connect-stripe`, { key: made.key });
  const { authUrl } = started.data;
  expect((await connectInBrowser(api, stripe, { authUrl, account: made.account })).status).toBe(200);
});

test('when Stripe does not respond, the program stays connected', async () => {
  const made = await connected('acct_slow');
  expect((await disconnect(made)).status).toBe(500);
  const { data } = await api.call('GET', `/programs/${made.programId}`, { key: made.key });
  expect(data.stripeAccountId).toBe('acct_slow');
});

test("another merchant's program is 403 and stays connected; a missing one is 404", async () => {
  const made = await connected();
  const { key } = await makeMerchant(api.runtime);
  expect((await disconnect({ key, programId: made.programId })).status).toBe(403);
  expect((await disconnect({ key, programId: MISSING_ID })).status).toBe(404);
  expect(await stripe.connected()).toContain(made.account);
});
