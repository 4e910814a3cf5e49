import { inboundWebhooksOf } from '../../../src/api/routes.ts';
import { MAX_BODY_BYTES } from '../../../src/contracts/limits.ts';
import { createRails } from '../../../src/domains/payouts/index.ts';
import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { generateSigningSecret } from '../../../src/platform/crypto/standard-webhooks.ts';
import { type OwnTestApi, openTestApi, type TestResponse } from '../../support/api.ts';
import { makeMerchant, makeProgram, signedHeaders, type TestProgram } from '../../support/factories.ts';
import { BAD_TEXTS, expectDocumented } from '../../support/limits.ts';
import { FAKE_ACCOUNT, FAKE_ENTRY, fakeAccountRail, signNotice } from '../../support/rails/fake-account-rail.ts';
import { registerRail } from '../../support/rails/register.ts';
import { stripeSignature } from '../../support/stripe/stripe-events.ts';
import { connectAccount, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';
import { STRIPE_BILLING, type StripeServer, startStripeServer } from '../../support/stripe/stripe-server.ts';

const CONNECT_SECRET = 'whsec_of_the_connect_endpoint';
const RAIL_SECRET = generateSigningSecret();

let stripe: StripeServer;
let api: OwnTestApi;
let program: TestProgram;
let accountPath: string;
let unregister: () => void;
let ofMerchant: { programId: string; secret: string };
beforeAll(async () => {
  stripe = await startStripeServer();
  api = await openTestApi(
    {
      ...STRIPE_BILLING,
      STRIPE_API_URL: stripe.url,
      STRIPE_CONNECT_WEBHOOK_SECRET: CONNECT_SECRET,
      RAIL_PAYPAL: 'sandbox',
      SANDBOX_URL: 'http://127.0.0.1:9',
      SANDBOX_API_KEY: 'sandbox-key-for-tests',
      SANDBOX_NOTIFICATION_SECRET: RAIL_SECRET,
    },
    { asOwner: true },
  );
  program = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  const made = await makeStripeProgram(api);
  await connectAccount(api, made.programId, 'acct_1Qk2aB3cD4eF5gH6');
  await account();
  ofMerchant = { programId: made.endpoint.programId ?? '', secret: made.endpoint.secret };
});
afterAll(async () => {
  unregister();
  await api.close();
  await stripe.close();
});

type Sign = (body: string) => Record<string, string>;

/** Where each webhook is sent to, and how its sender signs. */
const SENDERS: Readonly<Record<string, () => { path: string; sign: Sign }>> = {
  receiveSaleEvent: () => ({
    path: `/api/integrations/events/${program.programId}`,
    sign: (body) => signedHeaders(program.eventSecret, body),
  }),
  receiveStripeConnectEvent: () => ({
    path: '/api/integrations/stripe',
    sign: (body) => stripeSignature(body, CONNECT_SECRET),
  }),
  receiveStripeEvent: () => ({
    path: `/api/integrations/stripe/${ofMerchant.programId}`,
    sign: (body) => stripeSignature(body, ofMerchant.secret),
  }),
  receiveBillingEvent: () => ({
    path: '/api/integrations/billing/stripe',
    sign: (body) => stripeSignature(body, STRIPE_BILLING.STRIPE_BILLING_WEBHOOK_SECRET),
  }),
  receiveRailNotification: () => ({
    path: '/api/integrations/rails/sandbox',
    sign: (body) => signedHeaders(RAIL_SECRET, body),
  }),
  receiveAccountNotification: () => ({
    path: accountPath,
    sign: (body) => ({ 'x-signature': signNotice('of-the-hook', Buffer.from(body)) }),
  }),
};

const account = async (): Promise<void> => {
  unregister = registerRail(fakeAccountRail, FAKE_ENTRY);
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  await ctx.em.execute('insert into rail (name) values (?)', [FAKE_ACCOUNT]);
  const { merchantId } = await makeMerchant(api.runtime);
  const secrets = { clientSecret: 'of-the-client', webhookSecret: 'of-the-hook' };
  await storeRailAccount(ctx, {
    merchantId,
    rail: FAKE_ACCOUNT,
    account: { url: 'http://127.0.0.1:9', clientId: 'one', ...secrets },
  });
  accountPath = `/api/integrations/rails/${FAKE_ACCOUNT}/${merchantId}`;
};

const WEBHOOKS = inboundWebhooksOf({ rails: createRails({}, systemClock), observeStripeEvent: () => {} });

const send = (id: string, body: string): Promise<TestResponse> => {
  const sender = SENDERS[id]?.();
  if (!sender) throw new Error(`add the sender of ${id}`);
  return api.raw('POST', sender.path, { body, headers: sender.sign(body) });
};

type Path = (string | number)[];

/** Where a body has text, in objects and lists of every depth. */
const textsOf = (value: unknown, path: Path = []): Path[] => {
  if (typeof value === 'string') return [path];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsOf(item, [...path, at]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => textsOf(item, [...path, name]));
};

const withText = (value: unknown, [name, ...rest]: Path, text: string): unknown => {
  if (name === undefined) return text;
  if (Array.isArray(value)) return value.map((item, at) => (at === name ? withText(item, rest, text) : item));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: withText(fields[String(name)], rest, text) };
};

const EXAMPLES = WEBHOOKS.flatMap(({ id, examples }) =>
  Object.entries(examples.bodies).map(([name, body]): [string, string, unknown] => [id, name, body]),
);

it('every webhook has examples with texts', () => {
  expect(new Set(EXAMPLES.map(([id]) => id))).toEqual(new Set(Object.keys(SENDERS)));
  expect(EXAMPLES.flatMap(([, , body]) => textsOf(body)).length).toBeGreaterThan(50);
});

it.each(EXAMPLES)('%s, %s: text that cannot be stored is refused or not read', async (id, _name, body) => {
  for (const path of textsOf(body)) {
    for (const [kind, text] of Object.entries(BAD_TEXTS)) {
      expectDocumented([path.join('.'), kind], await send(id, JSON.stringify(withText(body, path, text))));
    }
  }
});

describe.each(Object.keys(SENDERS))('%s', (id) => {
  it.each(['null', '[]', '5', '"text"', '{', '', '{"a":1,"a":2}', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`])(
    'a signed body that is %s is refused; one of Stripe, which would repeat it for days, has no effect',
    async (body) => {
      const response = await send(id, body);
      expectDocumented(body, response);
      if (id.startsWith('receiveSale') || id.startsWith('receiveRail') || id.startsWith('receiveAccount'))
        expect(response.status).toBeGreaterThanOrEqual(400);
      else expect(response.data).toMatchObject({ outcome: expect.stringMatching(/^(ignored|needs_review)$/) });
    },
  );

  it('a signed body of more than 1 MiB is refused by its size', async () => {
    expect(await send(id, `{"a":"${'x'.repeat(MAX_BODY_BYTES)}"}`)).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', details: { reason: 'BODY_TOO_LARGE' } },
    });
  });

  it('a signature that no text can have is refused', async () => {
    const sender = SENDERS[id]?.() ?? { path: '', sign: () => ({}) };
    const long = `t=${Math.floor(Date.now() / 1_000)},v1=${'\u00e9'.repeat(64)}`;
    for (const value of ['', 'v1,', 't=1,v1=', 't=,v1=', 'x'.repeat(8_000), '\u00e9', long, 't=99999999999999999999,v1=00']) {
      const headers = Object.fromEntries(Object.keys(sender.sign('{}')).map((name) => [name, value]));
      const response = await api.raw('POST', sender.path, { body: '{}', headers });
      expectDocumented(value, response);
      expect([400, 401]).toContain(response.status);
    }
  });
});

it.each(['%00', 'a%00b', '%ED%A0%80', '%FF', 'x'.repeat(3_000), '..%2f..', '%27%3b--'])(
  'no program or rail is named %s',
  async (name) => {
    for (const sender of ['events', 'stripe', 'rails']) {
      const response = await api.raw('POST', `/api/integrations/${sender}/${name}`, { body: '{}' });
      expectDocumented(sender, response);
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
  },
);
