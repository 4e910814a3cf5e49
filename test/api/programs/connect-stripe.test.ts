import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { mailsAbout } from '../../domains/notifications/support.ts';
import { type OwnTestApi, openTestApi, useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { publishedClient } from '../../support/published-client.ts';
import { connectInBrowser, openBrowser, type TestBrowser } from '../../support/stripe/connect-in-browser.ts';
import { STRIPE_PLATFORM, type StripeServer, startStripeServer } from '../../support/stripe/stripe-server.ts';

const withoutStripe = useTestApi();
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

const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async () => {
  const merchant = await makeMerchant(api.runtime);
  return { ...merchant, ...(await makeProgram(api, merchant.key)), account: `acct_${unique()}` };
};
type Made = Awaited<ReturnType<typeof setUp>>;

const start = ({ key, programId }: Pick<Made, 'key' | 'programId'>) =>
  api.call('POST', `/programs/${programId}/connect-stripe`, { key, body: { method: 'oauth_url' } });

const accountOf = async ({ key, programId }: Made): Promise<string | null> =>
  (await api.call('GET', `/programs/${programId}`, { key })).data.stripeAccountId;

const connect = async (made: Made) =>
  connectInBrowser(api, stripe, { authUrl: (await start(made)).data.authUrl, account: made.account });

test('a merchant grants access at Stripe, and the program is connected and says so in an event', async () => {
  const made = await setUp();
  const started = await start(made);
  expect(started).toMatchObject({ status: 200, data: { connected: false, method: 'oauth_url', programId: made.programId } });
  const { pathname, search } = new URL(started.data.authUrl);
  const sent = await api.raw('GET', `${pathname}${search}`, {});
  expect(Object.fromEntries(new URL(String(sent.headers.location)).searchParams)).toMatchObject({
    client_id: 'ca_test_platform',
    response_type: 'code',
    scope: 'read_only',
    redirect_uri: 'http://127.0.0.1:3000/api/integrations/stripe/oauth/callback',
  });
  const page = await connectInBrowser(api, stripe, { authUrl: started.data.authUrl, account: made.account });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('The program is connected to Stripe')]);
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  const { data } = await api.call('GET', `/programs/${made.programId}`, { key: made.key });
  expect(data).toMatchObject({ stripeAccountId: made.account, stripeConnectedAt: expect.any(String), readiness: 'partial' });
  const event = await firstRow(
    context().em,
    sql<{
      body: Buffer;
    }>`select body from webhook_event where merchant_id = ${made.merchantId}::uuid and type = 'program.updated'`,
  );
  expect(JSON.parse(event?.body.toString() ?? '{}').data).toMatchObject({
    stripeAccountId: made.account,
    updatedFields: ['stripeAccountId', 'stripeConnectedAt'],
  });
});

test('SE15: the merchant is mailed of a connected Stripe account, and of none that was disconnected', async () => {
  const made = await setUp();
  await connect(made);
  await api.call('DELETE', `/programs/${made.programId}/connect-stripe`, { key: made.key });
  const { data } = await api.call('GET', '/audit-log', { key: made.key, query: { action: 'program.updated' } });
  const mails = await Promise.all(data.map(({ id }: { id: string }) => mailsAbout(api.runtime, id)));
  expect(mails.flat().map(({ subject }) => subject)).toEqual(['A Stripe account was connected to a program']);
  expect(mails.flat()[0]?.text).toContain(made.account);
});

test('an onboarding key connects the program that it set up', async () => {
  const made = await setUp();
  const { key } = await makeKey(api.runtime, { ownerId: made.merchantId, keyType: 'onboarding' });
  const { authUrl } = (await start({ ...made, key })).data;
  expect((await connectInBrowser(api, stripe, { authUrl, account: made.account })).status).toBe(200);
  expect(await accountOf(made)).toBe(made.account);
});

test('a connected program answers that it is connected and shows no URL', async () => {
  const made = await setUp();
  await connect(made);
  const again = await start(made);
  expect(again).toMatchObject({ status: 200, data: { connected: true, programId: made.programId } });
  expect(again.data).not.toHaveProperty('authUrl');
});

test('a retry with the same Idempotency-Key returns the same URL, which still works', async () => {
  const made = await setUp();
  const options = { key: made.key, headers: { 'idempotency-key': 'connect-1' } };
  const first = await api.call('POST', `/programs/${made.programId}/connect-stripe`, options);
  const second = await api.call('POST', `/programs/${made.programId}/connect-stripe`, options);
  expect(second.text).toBe(first.text);
  expect((await connectInBrowser(api, stripe, { authUrl: second.data.authUrl, account: made.account })).status).toBe(200);
});

describe('the callback changes nothing', () => {
  const refused: [string, (made: Made, browser: TestBrowser) => Promise<URL>][] = [
    ['when access was denied', async (made, browser) => browser.begin(stripe, (await start(made)).data.authUrl, { deny: '' })],
    [
      'for a state of an earlier URL',
      async (made, browser) => {
        const { authUrl } = (await start(made)).data;
        const url = await browser.begin(stripe, authUrl, { account: made.account });
        await start(made);
        return url;
      },
    ],
    [
      'for a state with another signature',
      async (made, browser) => {
        const url = await browser.begin(stripe, (await start(made)).data.authUrl, { account: made.account });
        const state = url.searchParams.get('state') ?? '';
        url.searchParams.set('state', state.slice(0, -1) + (state.endsWith('0') ? '1' : '0'));
        return url;
      },
    ],
    [
      'for a code that Stripe does not know',
      async (made, browser) => {
        const url = await browser.begin(stripe, (await start(made)).data.authUrl, { account: made.account });
        url.searchParams.set('code', 'ac_invented');
        return url;
      },
    ],
    [
      'after 30 minutes',
      async (made, browser) => {
        const url = await browser.begin(stripe, (await start(made)).data.authUrl, { account: made.account });
        const late = sql`update stripe_connect_request set expires_at = now() - interval '1 second' where program_id = ${made.programId}::uuid`;
        await execute(context().em, late);
        return url;
      },
    ],
    [
      'when the key that started was revoked',
      async (made, browser) => {
        const other = await makeKey(api.runtime, { ownerId: made.merchantId });
        const { authUrl } = (await start({ ...made, key: other.key })).data;
        const url = await browser.begin(stripe, authUrl, { account: made.account });
        await api.call('DELETE', `/auth/keys/${other.keyId}`, { key: made.key });
        return url;
      },
    ],
  ];
  it.each(refused)('%s', async (_when, bring) => {
    const made = await setUp();
    const browser = openBrowser(api);
    const url = await bring(made, browser);
    expect((await browser.visit(url)).status).toBe(400);
    expect((await browser.answer(url.searchParams.get('state'), 'connect')).status).toBe(400);
    expect(await accountOf(made)).toBeNull();
  });

  it('without parameters', async () => {
    const page = await api.raw('GET', '/api/integrations/stripe/oauth/callback', {});
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('connect-stripe')]);
  });
});

test('an address that Stripe sent the browser to works once, twenty visits at once included', async () => {
  const made = await setUp();
  const browser = openBrowser(api);
  const url = await browser.begin(stripe, (await start(made)).data.authUrl, { account: made.account });
  const pages = await Promise.all(Array.from({ length: 20 }, () => browser.visit(url)));
  expect(pages.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)]);
  const answers = await Promise.all(Array.from({ length: 5 }, () => browser.answer(url.searchParams.get('state'), 'connect')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(4).fill(400)]);
  expect(await accountOf(made)).toBe(made.account);
});

test('without Stripe Connect the response says what to do instead, and the callback refuses', async () => {
  const { key } = await makeMerchant(withoutStripe.runtime);
  const { programId } = await makeProgram(withoutStripe, key);
  const refused = await withoutStripe.call('POST', `/programs/${programId}/connect-stripe`, { key });
  expect(refused.status).toBe(409);
  expect(refused.error).toMatchObject({
    message: expect.stringContaining('own Stripe account'),
    details: { reason: 'STRIPE_NOT_CONFIGURED' },
  });
  const page = await withoutStripe.raw('GET', '/api/integrations/stripe/oauth/callback?state=x&code=ac_1', {});
  expect(page.status).toBe(400);
});

test('when Stripe does not respond, the page says so, and nothing is changed', async () => {
  const made = await setUp();
  const browser = openBrowser(api);
  const url = await browser.begin(stripe, (await start(made)).data.authUrl, { account: made.account, slow: '' });
  const page = await browser.visit(url);
  expect([page.status, page.text]).toEqual([500, expect.stringContaining('Stripe did not respond')]);
  expect(await accountOf(made)).toBeNull();
});

test('the published client connects and disconnects', async () => {
  const { key, programId } = await setUp();
  const baseUrl = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const client = publishedClient({ apiKey: key, baseUrl, maxRetries: 0 });
  const started = await client.programs.connectStripe(programId, { method: 'oauth_url' });
  expect(started).toMatchObject({
    connected: false,
    method: 'oauth_url',
    programId,
    authUrl: expect.stringContaining('/api/integrations/stripe/oauth/start?state='),
  });
  const account = `acct_${unique()}`;
  await connectInBrowser(api, stripe, { authUrl: started.authUrl ?? '', account });
  expect((await client.programs.get(programId)).stripeAccountId).toBe(account);
  expect(await client.programs.disconnectStripe(programId)).toEqual({ success: true, programId });
  expect((await client.programs.get(programId)).stripeAccountId).toBeNull();
});

describe('SE12: an account is connected by its owner only', () => {
  it('the page names program, company and account, and nothing is connected before it is confirmed', async () => {
    const made = await setUp();
    const browser = openBrowser(api);
    await api.call('PATCH', `/programs/${made.programId}`, { key: made.key, body: { name: '<b>Acme & Co</b>' } });
    const { companyName } = (await api.call('GET', '/merchant', { key: made.key })).data;
    const url = await browser.begin(stripe, (await start(made)).data.authUrl, { account: made.account });
    const page = await browser.visit(url);
    expect(page.status).toBe(200);
    for (const text of ['&lt;b&gt;Acme &amp; Co&lt;/b&gt;', companyName, made.account]) expect(page.text).toContain(text);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(await accountOf(made)).toBeNull();
    expect((await browser.answer(url.searchParams.get('state'), 'connect')).status).toBe(200);
    expect(await accountOf(made)).toBe(made.account);
  });

  it('who declines keeps the account, and the access ends', async () => {
    const made = await setUp();
    const browser = openBrowser(api);
    const url = await browser.begin(stripe, (await start(made)).data.authUrl, { account: made.account });
    await browser.visit(url);
    const state = url.searchParams.get('state');
    expect((await browser.answer(state, 'cancel')).text).toContain('Nothing was connected');
    expect(await stripe.connected()).not.toContain(made.account);
    expect((await browser.answer(state, 'connect')).status).toBe(400);
    expect(await accountOf(made)).toBeNull();
  });

  it('another browser than the one that began changes nothing and uses up nothing', async () => {
    const made = await setUp();
    const [own, other] = [openBrowser(api), openBrowser(api)];
    const url = await own.begin(stripe, (await start(made)).data.authUrl, { account: made.account });
    const state = url.searchParams.get('state');
    expect(await other.visit(url)).toMatchObject({ status: 400, text: expect.stringContaining('another browser') });
    expect((await own.visit(url)).status).toBe(200);
    expect((await other.answer(state, 'connect')).status).toBe(400);
    expect(await accountOf(made)).toBeNull();
    expect((await own.answer(state, 'connect')).status).toBe(200);
  });

  it('the cookie is for these pages, and no script reads it', async () => {
    const { pathname, search } = new URL((await start(await setUp())).data.authUrl);
    const { headers } = await api.raw('GET', `${pathname}${search}`, {});
    expect(headers['set-cookie']).toMatch(
      /^tributary_stripe=[0-9a-f.-]+; Path=\/api\/integrations\/stripe\/oauth; Max-Age=1800; HttpOnly; SameSite=Lax$/,
    );
  });

  it('behind TLS no other host of the domain can set the cookie', async () => {
    const secure = await openTestApi({ ...STRIPE_PLATFORM, STRIPE_API_URL: stripe.url, PUBLIC_URL: 'https://api.example.com' });
    const { key } = await makeMerchant(secure.runtime);
    const { programId } = await makeProgram(secure, key);
    const begun = await secure.call('POST', `/programs/${programId}/connect-stripe`, { key, body: { method: 'oauth_url' } });
    const { pathname, search, searchParams } = new URL(begun.data.authUrl);
    const { headers } = await secure.raw('GET', `${pathname}${search}`, {});
    expect(headers['set-cookie']).toMatch(
      /^__Host-tributary_stripe=[0-9a-f.-]+; Path=\/; Secure; Max-Age=1800; HttpOnly; SameSite=Lax$/,
    );
    const state = searchParams.get('state') ?? '';
    const callback = `/api/integrations/stripe/oauth/callback?state=${state}`;
    const visit = async (cookie: string) => (await secure.raw('GET', callback, { headers: { cookie } })).text;
    expect(await visit(`tributary_stripe=${state}`)).toContain('another browser');
    expect(await visit(`__Host-tributary_stripe=${state}`)).toContain('did not grant access');
    await secure.close();
  });

  it.each(['', 'x', `${crypto.randomUUID()}.${'0'.repeat(64)}`])('the start with the state %j is 400', async (state) => {
    expect((await api.raw('GET', `/api/integrations/stripe/oauth/start?state=${state}`, {})).status).toBe(400);
  });
});
