import { setStripeSecret } from '../../../src/domains/programs/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, sendSale } from '../../support/factories.ts';
import { BROWSER, click, makeShop, visitorId } from './support.ts';

const api = useTestApi();

const statusOf = (programId: string, key: string) => api.call('GET', `/programs/${programId}/tracking/status`, { key });
const codesOf = (data: { warnings: { code: string }[] }): string[] => data.warnings.map(({ code }) => code);

it('200: a new program is told what is missing, the first step first', async () => {
  const { key } = await makeMerchant(api.runtime);
  const body = { name: 'New', commissionType: 'one_time', commissionPercent: 10 };
  const { data: program } = await api.call('POST', '/programs', { key, body });
  const { status, data } = await statusOf(program.id, key);
  expect(status).toBe(200);
  expect(data).toMatchObject({
    programId: program.id,
    status: 'active',
    readiness: 'setup',
    stats: { clicksLast24Hours: 0, salesLast24Hours: 0 },
    recent: { lastClickAt: null, lastSaleAt: null, lastScriptSeenAt: null },
  });
  expect(Object.values(data.health as Record<string, { complete: boolean }>).map(({ complete }) => complete)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
  const missing = ['WEBSITE_MISSING', 'SCRIPT_NOT_SEEN', 'NO_AFFILIATES', 'NO_CLICKS', 'NO_PAYMENT_SOURCE', 'NO_SALES'];
  expect(codesOf(data)).toEqual(missing);
  expect(data.summary).toBe('Clicks of no page are accepted: set the website of the program. 5 more steps after that.');
});

it("200: the signing secret of the merchant's own Stripe account is a payment source", async () => {
  const { key } = await makeMerchant(api.runtime);
  const body = { name: 'New', commissionType: 'one_time', commissionPercent: 10 };
  const { data: program } = await api.call('POST', '/programs', { key, body });
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  await setStripeSecret(ctx, { programId: program.id, secret: 'whsec_0123456789abcdef' });
  const { data } = await statusOf(program.id, key);
  expect(data.health.paymentSource).toMatchObject({
    complete: true,
    stripeConnectedAt: null,
    stripeSecretSetAt: expect.any(String),
    eventSecretIssuedAt: null,
  });
  expect(codesOf(data)).not.toContain('NO_PAYMENT_SOURCE');
  expect(data.readiness).toBe('partial');
});

it('200: after a click and a sale, everything is measured and the program is ready', async () => {
  const shop = await makeShop(api);
  const before = Date.now() - 1;
  await click(api, shop, { body: { pageUrl: `${shop.origin}/pricing?via=${shop.code}&email=ada@example.com` } });
  await sendSale(api, shop.program, { referralCode: shop.code });
  const { data } = await statusOf(shop.programId, shop.key);
  expect(data).toMatchObject({
    readiness: 'ready',
    stats: { clicksLast24Hours: 1, salesLast24Hours: 1 },
    health: {
      website: { complete: true, domain: new URL(shop.origin).hostname },
      scriptInstalled: { complete: true, page: `${shop.origin}/pricing` },
      affiliates: { complete: true },
      clicks: { complete: true },
      paymentSource: { complete: true, stripeConnectedAt: null, eventSecretIssuedAt: expect.any(String) },
      sales: { complete: true },
    },
    warnings: [],
    summary: 'Clicks and sales arrive.',
  });
  const { health, recent } = data;
  const times = [recent.lastClickAt, recent.lastSaleAt, recent.lastScriptSeenAt, health.paymentSource.eventSecretLastUsedAt];
  for (const time of times) expect(Date.parse(time)).toBeGreaterThan(before);
  expect((await api.call('GET', `/programs/${shop.programId}`, { key: shop.key })).data.readiness).toBe('ready');
});

it('a call without a visitor id does not show that the script is installed', async () => {
  const shop = await makeShop(api);
  await click(api, shop, { body: { visitorId: undefined } });
  const { data } = await statusOf(shop.programId, shop.key);
  expect(codesOf(data)).toEqual(['SCRIPT_NOT_SEEN', 'EVENT_SECRET_UNUSED', 'NO_SALES']);
});

it('a server that reports a click with the id of the visitor does not show that the script is installed', async () => {
  const shop = await makeShop(api);
  const body = { programId: shop.programId, pageUrl: shop.origin, referralCode: shop.code, visitorId: visitorId() };
  // Node's fetch sends the mode, too.
  const headers = { origin: shop.origin, 'user-agent': BROWSER, 'sec-fetch-mode': 'cors' };
  const reported = await api.raw('POST', '/api/tracking/click', { body: JSON.stringify(body), headers });
  expect(reported.data.status).toBe('ok');
  expect((await statusOf(shop.programId, shop.key)).data.health.scriptInstalled.complete).toBe(false);
});

it('the script is seen even where its click does not count', async () => {
  const shop = await makeShop(api);
  await api.call('PATCH', `/programs/${shop.programId}`, { key: shop.key, body: { status: 'paused' } });
  expect((await click(api, shop)).data.reason).toBe('PROGRAM_INACTIVE');
  const { data } = await statusOf(shop.programId, shop.key);
  expect(data.health.scriptInstalled.complete).toBe(true);
  expect(codesOf(data)[0]).toBe('PROGRAM_INACTIVE');
});

it('a call from a foreign page is no sign of the script', async () => {
  const shop = await makeShop(api);
  await click(api, shop, { headers: { origin: 'https://other.example' } });
  expect((await statusOf(shop.programId, shop.key)).data.health.scriptInstalled.complete).toBe(false);
});

it('a new event secret is unused until an event is signed with it', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  expect(codesOf((await statusOf(program.programId, key)).data)).toContain('EVENT_SECRET_UNUSED');
  await sendSale(api, { ...program, eventSecret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }, {});
  expect(codesOf((await statusOf(program.programId, key)).data)).toContain('EVENT_SECRET_UNUSED');
  await sendSale(api, program, {});
  expect(codesOf((await statusOf(program.programId, key)).data)).not.toContain('EVENT_SECRET_UNUSED');
});

it('403 for the program of another merchant, 404 for an unknown one', async () => {
  const shop = await makeShop(api);
  const { key } = await makeMerchant(api.runtime);
  expect(await statusOf(shop.programId, key)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  const missing = await statusOf('0198f1c2-8b10-7d02-8f3e-51c9a7e2b604', key);
  expect(missing).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
});
