import pMap from 'p-map';
import { runSql } from '../../src/local/stack/sql.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { URL_RULES } from '../../src/platform/outbound/url-rules.ts';
import { makeEndpoint } from '../api/webhooks/support.ts';
import { useWebhookBench } from '../domains/webhooks/support.ts';
import { type TestResponse, useOwnApi } from '../support/api.ts';
import { makeMerchant } from '../support/factories.ts';
import { ownerUrlOf } from '../support/many-commissions.ts';
import { STAND_IN, useCanary } from '../support/network/canary.ts';
import { type Answers, useNameServer } from '../support/network/name-server.ts';
import { type PrivateUrl, privateUrls } from '../support/network/private-urls.ts';
import { AUTHORITY } from '../support/receiver/certificates.ts';

const SETTINGS = { WEBHOOK_ALLOWED_PRIVATE_ADDRESSES: `${STAND_IN}:*` };
const HOST = 'hooks.example.com';
const PUBLIC = 'https://1.1.1.1/hook';
/** Fewer than one merchant may have. */
const ENDPOINTS = 40;

const canary = useCanary();
const names = useNameServer();
const api = useOwnApi(SETTINGS);
const bench = useWebhookBench(SETTINGS);

const urls = (): PrivateUrl[] => privateUrls(canary.port);

/** "refused" by a rule of URLs, else what came instead. */
const outcomeOf = ({ status, data, error }: TestResponse): unknown => {
  const issue = error?.details?.issues?.find(({ path }: { path: string }) => path === 'url');
  return status === 422 && issue?.code in URL_RULES ? 'refused' : { status, data, error };
};

const ofAll = async (send: (url: string) => Promise<TestResponse>): Promise<Record<string, unknown>> => {
  const found: Record<string, unknown> = {};
  for (const { name, url } of urls()) found[name] = outcomeOf(await send(url));
  return found;
};

const allRefused = () => Object.fromEntries(urls().map(({ name }) => [name, 'refused']));

interface AttemptRow {
  url: string;
  error: string | null;
  remote: string | null;
}

const attemptsAt = (endpointIds: readonly string[]): Promise<AttemptRow[]> =>
  rows(
    bench.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<AttemptRow>`select a.url, a.error_code as error, host(a.remote_ip) as remote
      from webhook_attempt a join webhook_delivery d on d.id = a.delivery_id
      where d.endpoint_id = any(${endpointIds}::uuid[]) and a.finished_at is not null`,
  );

test('the list has at least 150 URLs, all different', () => {
  expect(new Set(urls().map(({ url }) => url)).size).toBe(urls().length);
  expect(urls().length).toBeGreaterThanOrEqual(150);
});

describe('B6: no spelling of a private address', () => {
  afterEach(() => expect(canary.connections()).toBe(0));

  test('is accepted for a new endpoint', async () => {
    const { key } = await makeMerchant(api.runtime);
    const subscribedEvents = ['payout.completed'];
    const create = (url: string) => api.call('POST', '/webhooks', { key, body: { name: 'B6', url, subscribedEvents } });
    expect(await ofAll(create)).toEqual(allRefused());
    expect((await api.call('GET', '/webhooks', { key })).data).toEqual([]);
  });

  test('is accepted for an endpoint that exists', async () => {
    const { key, id } = await makeEndpoint(api, { url: PUBLIC });
    expect(await ofAll((url) => api.call('PATCH', `/webhooks/${id}`, { key, body: { url } }))).toEqual(allRefused());
    expect((await api.call('GET', `/webhooks/${id}`, { key })).data.url).toBe(PUBLIC);
  });

  /** Endpoints of a new merchant, whose rows the owner of the tables gave these URLs. */
  const plant = async (planted: readonly PrivateUrl[]) => {
    const merchant = await bench.merchant();
    const endpoints = await Promise.all(
      planted.map(async ({ url }) => ({ url, id: (await merchant.endpoint({ url: PUBLIC })).id })),
    );
    const changes = endpoints.map(({ id, url }) => `update webhook_endpoint set url = '${url}' where id = '${id}'`);
    await runSql(ownerUrlOf(bench), ...changes);
    return { merchant, ids: endpoints.map(({ id }) => id) };
  };

  test('is connected to because its row has it, neither by a lane nor by a retry', async () => {
    const all = urls();
    const planted = [];
    for (let from = 0; from < all.length; from += ENDPOINTS) planted.push(await plant(all.slice(from, from + ENDPOINTS)));
    const endpointIds = planted.flatMap(({ ids }) => ids);
    const deliveryIds = [];
    for (const { merchant } of planted) deliveryIds.push(...(await merchant.emit()));
    expect(deliveryIds).toHaveLength(all.length);
    await bench.drainUntil(async () => (await attemptsAt(endpointIds)).length === all.length);
    bench.clock.advance(10_000);
    const retried = await pMap(deliveryIds, (id) => bench.attempt(id), { concurrency: 8 });
    expect(retried.filter((result) => !('waitMs' in result))).toEqual([]);

    const attempts = await attemptsAt(endpointIds);
    const blocked = all.map(({ url }) => ({ url, error: 'blocked_address', remote: null }));
    const byUrl = (a: AttemptRow, b: AttemptRow) => (a.url < b.url ? -1 : 1);
    expect(attempts.sort(byUrl)).toEqual([...blocked, ...blocked].sort(byUrl));
  });
});

describe('B6: a name', () => {
  const url = () => `https://${HOST}:${canary.port}/hook`;
  const outbound = () =>
    createOutbound({ policy: bench.runtime.settings.outbound, userAgent: 'Tributary/test', ca: [AUTHORITY] });
  const body = () => ({ name: 'B6', url: url(), subscribedEvents: ['payout.completed'] });
  const only4 =
    (addresses: readonly string[]): Answers =>
    (family) =>
      family === 4 ? addresses : [];

  afterEach(() => expect(canary.connections()).toBe(0));

  const PRIVATE: readonly (readonly [string, Answers])[] = [
    ['a private address', only4(['127.0.0.1'])],
    ['a public and a private one', only4([STAND_IN, '127.0.0.1'])],
    ['a private one among many', only4([...Array.from({ length: 20 }, () => STAND_IN), '127.0.0.1'])],
    ['no address at all', only4(['0.0.0.0'])],
    ['a public address, and a private one of IPv6', (family) => (family === 4 ? [STAND_IN] : ['::1'])],
    ['a private address of IPv6 only', (family) => (family === 4 ? [] : ['fd00:ec2::254'])],
    ['an IPv4-mapped address', (family) => (family === 4 ? [STAND_IN] : ['::ffff:127.0.0.1'])],
    ['a NAT64 address', (family) => (family === 4 ? [STAND_IN] : ['64:ff9b::7f00:1'])],
    ['a 6to4 address', (family) => (family === 4 ? [] : ['2002:7f00:1::1'])],
    ['a metadata service', only4(['169.254.169.254'])],
  ];

  test.each(PRIVATE)('a name that resolves to %s is refused for a new and for an existing endpoint', async (_name, answers) => {
    names.answer(HOST, answers);
    const { key, id } = await makeEndpoint(api, { url: PUBLIC });
    expect(outcomeOf(await api.call('POST', '/webhooks', { key, body: body() }))).toBe('refused');
    expect(outcomeOf(await api.call('PATCH', `/webhooks/${id}`, { key, body: { url: url() } }))).toBe('refused');
  });

  test.each(PRIVATE)(
    'a name that is public when it is stored, and later resolves to %s, is not connected to',
    async (_name, answers) => {
      names.answer(HOST, only4([STAND_IN]));
      const { key } = await makeMerchant(api.runtime);
      expect((await api.call('POST', '/webhooks', { key, body: body() })).status).toBe(201);
      const merchant = await bench.merchant();
      const endpoint = await merchant.endpoint({ url: url() });
      const answered = canary.answered();
      const [first = ''] = await merchant.emit();
      expect(await bench.attempt(first, '', outbound())).toEqual({ end: 'succeeded', attempts: 1 });
      expect(canary.answered()).toBe(answered + 1);

      names.answer(HOST, answers);
      const [second = ''] = await merchant.emit();
      expect(await bench.attempt(second, '', outbound())).toEqual({ waitMs: expect.any(Number) });
      expect(await attemptsAt([endpoint.id])).toEqual([
        { url: url(), error: null, remote: STAND_IN },
        { url: url(), error: 'blocked_address', remote: null },
      ]);
      expect(canary.answered()).toBe(answered + 1);
    },
  );

  test('a name is looked up once per attempt, so that a second answer is used by no one', async () => {
    names.answer(HOST, (family, n) => (family === 4 ? [n === 1 ? STAND_IN : '127.0.0.1'] : []));
    const merchant = await bench.merchant();
    await merchant.endpoint({ url: url() });
    const [id = ''] = await merchant.emit();
    expect(await bench.attempt(id, '', outbound())).toEqual({ end: 'succeeded', attempts: 1 });
    expect([names.asked(HOST, 4), names.asked(HOST, 6)]).toEqual([1, 1]);
  });

  test('a name that turns private between two attempts of one delivery is not connected to again', async () => {
    names.answer(HOST, () => []);
    const merchant = await bench.merchant();
    const endpoint = await merchant.endpoint({ url: url() });
    const [id = ''] = await merchant.emit();
    const attempt = async (answers: Answers) => {
      names.answer(HOST, answers);
      const waiting = await bench.attempt(id, '', outbound());
      if ('waitMs' in waiting) bench.clock.advance(waiting.waitMs);
      return waiting;
    };
    await attempt(() => []);
    await attempt(only4(['127.0.0.1']));
    await attempt((family, n) => (family === 6 && n === 1 ? ['::1'] : []));
    expect(await attempt(only4([STAND_IN]))).toEqual({ end: 'succeeded', attempts: 4 });
    expect((await attemptsAt([endpoint.id])).map(({ error }) => error)).toEqual([
      'dns_not_found',
      'blocked_address',
      'blocked_address',
      null,
    ]);
  });
});

test.each(['127.0.0.1', '[::1]', '127.255.255.254'])(
  'the canary counts a connection to %s that the settings allow',
  async (host) => {
    const address = host.replace(/[[\]]/g, '');
    const policy = { ...bench.runtime.settings.outbound, allowedPrivate: [{ address, port: null }] };
    const before = canary.connections();
    const message = { url: `https://${host}:${canary.port}/`, headers: {}, body: Buffer.from('{}') };
    await createOutbound({ policy, userAgent: 'Tributary/test' }).post(message);
    expect(canary.connections()).toBe(before + 1);
  },
);
