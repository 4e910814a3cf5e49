import { PUBLIC_PER_MINUTE } from '../../../src/contracts/limits.ts';
import { SCREENING_LIMITS } from '../../../src/contracts/screening-limits.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { signedHeaders } from '../../support/factories.ts';
import { system } from '../pipeline/support.ts';
import { BROWSER, click, makeShop, type TestShop, visitorId } from './support.ts';

const api = useTestApi();
const em = () => api.runtime.context(system).em;

const WRONG_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

interface Signed {
  secret?: string;
  from?: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

const bodyOf = (shop: TestShop, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    programId: shop.programId,
    pageUrl: `${shop.origin}/pricing?via=${shop.code}`,
    referralCode: shop.code,
    visitorId: visitorId(),
    ...more,
  });

/** A click that the server of the program reports. */
const report = (shop: TestShop, { secret = shop.program.eventSecret, from = anyAddress(), body = {}, headers }: Signed = {}) => {
  const text = bodyOf(shop, { visitorIp: anyAddress(), userAgent: BROWSER, ...body });
  return api.raw('POST', '/api/tracking/click', { body: text, headers: { ...signedHeaders(secret, text), ...headers }, from });
};

const alertsOf = ({ affiliateId }: TestShop) =>
  rows(em(), sql`select clicks_per_minute from click_alert where affiliate_id = ${affiliateId}::uuid`);

const times = async (count: number, send: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await send(n);
};

const MANY = 3 * SCREENING_LIMITS.clicksPerMinute;

test('BR5: a signed click counts for the visitor whom it names, without a page', async () => {
  const shop = await makeShop(api);
  const { status, data } = await report(shop);
  expect([status, data]).toEqual([200, expect.objectContaining({ status: 'ok', affiliateCode: shop.code })]);
  const addresses = () =>
    rows(
      em(),
      sql<{ address: string }>`select encode(address, 'hex') as address from click where program_id = ${shop.programId}::uuid`,
    );
  await report(shop, { body: { visitorIp: '203.0.113.7' } });
  await report(shop, { body: { visitorIp: '203.0.113.7' } });
  await report(shop, { body: { visitorIp: '2001:db8::1' } });
  await report(shop, { body: { visitorIp: '2001:db8::ffff' } });
  expect(new Set((await addresses()).map(({ address }) => address)).size).toBe(3);
});

test('BR5: many visitors that one server reports are no address that clicks often, nor above a limit', async () => {
  const shop = await makeShop(api);
  const from = anyAddress();
  const sent = await Promise.all(Array.from({ length: PUBLIC_PER_MINUTE + 5 }, () => report(shop, { from })));
  const refused = sent.filter(({ status }) => status !== 200);
  // More than a merchant's share at once is shed, as that of signed events.
  expect(refused.map(({ error }) => error?.details?.['reason'])).toEqual(refused.map(() => 'OVERLOADED'));
  await times(PUBLIC_PER_MINUTE + 5, async () => expect((await report(shop, { from })).status).toBe(200));
  expect(await alertsOf(shop)).toEqual([]);
});

test('BR5: one visitor who clicks often is found, whoever reports it', async () => {
  const shop = await makeShop(api);
  await times(MANY, () => report(shop, { body: { visitorIp: '203.0.113.9' } }));
  expect(await alertsOf(shop)).not.toEqual([]);
});

test.each([
  [
    'signed, without the address of the visitor',
    (shop: TestShop, from: string, id: string) => report(shop, { from, body: { visitorIp: undefined, visitorId: id } }),
  ],
  [
    'not signed',
    (shop: TestShop, from: string, id: string) =>
      api.raw('POST', '/api/tracking/click', {
        body: bodyOf(shop, { visitorId: id }),
        headers: { origin: shop.origin, 'user-agent': BROWSER },
        from,
      }),
  ],
] as const)('BR5: clicks of a server that are %s: its address is nobody who reports for more than five', async (_how, send) => {
  const [many, few] = [await makeShop(api), await makeShop(api)];
  const ids = Array.from({ length: SCREENING_LIMITS.visitorsOfAddress }, () => visitorId());
  const [from, other] = [anyAddress(), anyAddress()];
  await times(MANY, () => send(many, from, visitorId()));
  expect(await alertsOf(many)).toEqual([]);
  await times(MANY, (n) => send(few, other, ids[n % ids.length] ?? ''));
  // Repeats of a visitor on one page within 30 seconds are one click.
  expect(await alertsOf(few)).toEqual([]);
  // An address that has sent nothing yet: the limit of addresses would refuse most of these.
  const third = anyAddress();
  await times(MANY, (n) =>
    api.raw('POST', '/api/tracking/click', {
      body: bodyOf(few, { visitorId: ids[n % ids.length], pageUrl: `${few.origin}/page-${n}` }),
      headers: { origin: few.origin, 'user-agent': BROWSER },
      from: third,
    }),
  );
  expect(await alertsOf(few)).not.toEqual([]);
});

test('BR5: pages of browsers do not become servers by many visitors', async () => {
  const shop = await makeShop(api);
  const from = anyAddress();
  await times(MANY, () => click(api, shop, { from }));
  expect(await alertsOf(shop)).not.toEqual([]);
});

test('BR5: only a signature lets a caller speak for a visitor', async () => {
  const shop = await makeShop(api);
  for (const body of [{ visitorIp: '203.0.113.7' }, { userAgent: BROWSER }])
    expect(await click(api, shop, { body })).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
  for (const blank of ['', ' ', null])
    expect((await click(api, shop, { body: { visitorIp: blank, userAgent: blank } })).status).toBe(200);
});

test.each([
  ['an address that is none', { visitorIp: '300.1.1.1' }],
  ['a host name', { visitorIp: 'visitor.example' }],
  ['a long browser', { userAgent: 'x'.repeat(1_001) }],
  ['an unknown member', { visitorIP: '203.0.113.7' }],
])('BR5: 422 for %s', async (_what, body) => {
  const shop = await makeShop(api);
  expect(await report(shop, { body })).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
});

test('BR5: a crawler that a server reports does not count, nor does the server itself', async () => {
  const shop = await makeShop(api);
  expect((await report(shop, { body: { userAgent: 'Googlebot/2.1' } })).data.reason).toBe('BOT');
  expect((await report(shop, { body: { userAgent: undefined }, headers: { 'user-agent': 'node' } })).data.reason).toBe('BOT');
  expect((await report(shop, { body: { userAgent: undefined }, headers: { 'user-agent': BROWSER } })).data.status).toBe('ok');
});

describe('BR5: a signature', () => {
  it('of another program, of other bytes or of another time is 401, and stores nothing', async () => {
    const [shop, other] = [await makeShop(api), await makeShop(api)];
    const text = bodyOf(shop);
    const send = (headers: Record<string, string>, body = text) => api.raw('POST', '/api/tracking/click', { body, headers });
    const { 'webhook-signature': _signature, ...unsigned } = signedHeaders(shop.program.eventSecret, text);
    for (const { status } of [
      await report(shop, { secret: other.program.eventSecret }),
      await send(signedHeaders(shop.program.eventSecret, bodyOf(shop))),
      await send(signedHeaders(shop.program.eventSecret, text, Date.now() - 301_000)),
      await send(unsigned),
      await send({ ...signedHeaders(shop.program.eventSecret, text), 'webhook-signature': 'v1,AAAA' }),
    ])
      expect(status).toBe(401);
    expect((await send(signedHeaders(shop.program.eventSecret, '{}'), '{}')).status).toBe(404);
    const counted = await firstRow(
      em(),
      sql<{ n: number }>`select count(*)::int as n from click where program_id = ${shop.programId}::uuid`,
    );
    expect(counted).toEqual({ n: 0 });
  });

  it('that is wrong too often is refused, and one that is right never is', async () => {
    const [shop, other] = [await makeShop(api), await makeShop(api)];
    const from = anyAddress();
    await times(30, async () => expect((await report(shop, { secret: WRONG_SECRET, from })).status).toBe(401));
    expect(await report(shop, { secret: WRONG_SECRET, from })).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
    expect((await report(other, { secret: WRONG_SECRET, from })).status).toBe(401);
    expect((await report(shop, { from })).status).toBe(200);
  });

  it('of a click is no use of the secret for sales', async () => {
    const shop = await makeShop(api);
    await report(shop);
    const { data } = await api.call('GET', `/programs/${shop.programId}/tracking/status`, { key: shop.key });
    expect(data.health.paymentSource.eventSecretLastUsedAt).toBeNull();
  });
});
