import { execute, sql } from '../../../src/platform/database/sql.ts';
import { SLOW_DATABASE, type TestResponse, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { pause } from '../../support/until.ts';
import { type AnotherApi, openAnotherApi } from './another-api.ts';
import { type Moment, mostInAnyWindow } from './own-redis.ts';
import { system } from './support.ts';

const api = useTestApi();

const keyWith = async (rateLimit: number) =>
  makeKey(api.runtime, { ownerId: (await makeMerchant(api.runtime)).merchantId, rateLimit });
const times = async (count: number, act: () => Promise<TestResponse>): Promise<TestResponse[]> => {
  const responses: TestResponse[] = [];
  for (let time = 0; time < count; time++) responses.push(await act());
  return responses;
};
const statusesOf = (responses: TestResponse[]): number[] => responses.map((response) => response.status);
const header = (response: TestResponse, name: string): number => Number(response.headers[name]);

describe('the headers', () => {
  it('state the limit, the remaining requests, and the second at which the oldest one leaves the window', async () => {
    const { key } = await keyWith(3);
    const before = Date.now();
    const first = await api.call('GET', '/me', { key });
    const after = Date.now();
    const rest = await times(3, () => api.call('GET', '/me', { key }));
    const responses = [first, ...rest];
    expect(statusesOf(responses)).toEqual([200, 200, 200, 429]);
    expect(responses.map((response) => header(response, 'x-ratelimit-limit'))).toEqual([3, 3, 3, 3]);
    expect(responses.map((response) => header(response, 'x-ratelimit-remaining'))).toEqual([2, 1, 0, 0]);
    for (const response of responses) {
      expect(header(response, 'x-ratelimit-reset')).toBeGreaterThanOrEqual(Math.ceil((before + 59_999) / 1000));
      expect(header(response, 'x-ratelimit-reset')).toBeLessThanOrEqual(Math.ceil((after + 60_001) / 1000));
    }
    const refused = responses[3] as TestResponse;
    const wait = header(refused, 'retry-after');
    expect(wait).toBeGreaterThanOrEqual(1);
    const refusedAt = header(refused, 'x-ratelimit-reset') - wait;
    expect([refusedAt >= before / 1000 - 1, refusedAt <= Date.now() / 1000 + 1]).toEqual([true, true]);
    expect(refused.error).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfter: wait } });
  });

  it('rejected requests do not count, and do not extend the wait', async () => {
    const { key, keyId } = await keyWith(2);
    await times(2, () => api.call('GET', '/me', { key }));
    const [first, ...more] = await times(30, () => api.call('GET', '/me', { key }));
    expect(new Set(more.map((response) => response.headers['x-ratelimit-reset']))).toEqual(
      new Set([first?.headers['x-ratelimit-reset']]),
    );
    expect(await api.runtime.redis.zcard(`rate:k:${keyId}`)).toBe(2);
  });

  it('every response counts once, whatever its status', async () => {
    const { key } = await keyWith(5);
    const responses = [
      await api.call('GET', '/nothing', { key }),
      await api.call('POST', '/programs', { key, body: '{' }),
      await api.call('POST', '/programs', { key, body: {} }),
      await api.call('PUT', '/programs', { key }),
      await api.call('GET', '/openapi.json', { key }),
      await api.call('GET', '/me', { key }),
    ];
    expect(statusesOf(responses)).toEqual([404, 400, 422, 404, 200, 429]);
    expect(responses.map((response) => header(response, 'x-ratelimit-remaining'))).toEqual([4, 3, 2, 1, 0, 0]);
  });

  it('health checks are not limited', async () => {
    for (let time = 0; time < 15; time++) {
      const response = await api.app.inject({ url: '/health/live', remoteAddress: '127.60.0.9' });
      expect([response.statusCode, response.headers['x-ratelimit-limit']]).toEqual([200, undefined]);
    }
  });
});

describe('the window', () => {
  it('slides: each request leaves it exactly one window after it arrived', async () => {
    const windowMs = 1_500;
    const { key } = await keyWith(3);
    const other = await openAnotherApi(api.runtime.config.DATABASE_URL, { env: SLOW_DATABASE, windowMs });
    const admitted: Moment[] = [];
    const rejected: Moment[] = [];
    while (admitted.length < 9) {
      const before = Date.now();
      const { status } = await other.get('/me', key);
      (status === 200 ? admitted : rejected).push([before, Date.now()]);
      await pause(30, 'requests are spread over the window');
    }
    await other.close();
    expect(mostInAnyWindow(admitted, windowMs)).toBe(3);
    // Whoever is rejected finds three in the window, also those that may just leave it.
    const countBefore = ([before, after]: Moment) =>
      admitted.filter(([from, to]) => to >= before - windowMs && from <= after).length;
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.filter((moment) => countBefore(moment) < 3)).toEqual([]);
  });

  it('the window is shared by all processes', async () => {
    const { key } = await keyWith(20);
    const others: AnotherApi[] = [];
    // One after the other, with timeouts for machines under load.
    while (others.length < 3) others.push(await openAnotherApi(api.runtime.config.DATABASE_URL, { env: SLOW_DATABASE }));
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (others[at % 3] as (typeof others)[0]).get('/me', key)),
    );
    expect(statusesOf(responses).filter((status) => status === 200)).toHaveLength(20);
    const left = responses
      .filter((response) => response.status === 200)
      .map((response) => header(response, 'x-ratelimit-remaining'));
    expect(left.sort((a, b) => b - a)).toEqual(Array.from({ length: 20 }, (_, at) => 19 - at));
    await Promise.all(others.map((other) => other.close()));
  });
});

describe('without a valid key', () => {
  const from = (address: string, options: object = {}) => api.call('GET', '/me', { from: address, ...options });
  const left = async (address: string) => header(await from(address), 'x-ratelimit-remaining');

  it('ten requests a minute per address, including those with guessed keys', async () => {
    const guesses = [undefined, 'ak_live_guess', '', 'x'.repeat(5_000)];
    const responses = [];
    for (let time = 0; time < 12; time++) responses.push(await from('127.61.0.1', { key: guesses[time % 4] }));
    expect(statusesOf(responses)).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    expect(header(responses[0] as TestResponse, 'x-ratelimit-limit')).toBe(10);
    expect((await api.call('GET', '/meta', { from: '127.61.0.1' })).status).toBe(429);
    expect((await from('127.61.0.2')).status).toBe(401);
  });

  it('a caller with a key is not limited by others at the same address', async () => {
    const { key } = await keyWith(5);
    await times(11, () => from('127.61.0.3'));
    expect((await from('127.61.0.3', { key })).status).toBe(200);
  });

  it.each([
    ['an IPv6 block of 64 bits', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:3::1'],
    ['an IPv6 block in another spelling', '2001:db8:0:0::5', '2001:0DB8:0000::0:9', '2001:db8:0:1::5'],
    ['an IPv4 address written as IPv6', '::ffff:10.9.8.7', '10.9.8.7', '::ffff:10.9.8.8'],
  ])('%s is one address', async (_name, one, same, other) => {
    expect([await left(one), await left(same), await left(other)]).toEqual([9, 8, 9]);
  });

  it('X-Forwarded-For is trusted for the configured number of proxies', async () => {
    const asked = async (env: Record<string, string>, forwarded: string) => {
      const other = await openAnotherApi(api.runtime.config.DATABASE_URL, { env: { ...SLOW_DATABASE, ...env } });
      const inject = (text: string) =>
        other.app.inject({ url: '/api/v1/me', remoteAddress: '127.61.0.50', headers: { 'x-forwarded-for': text } });
      const [first, second] = [await inject(forwarded), await inject(forwarded.replace(/^[^,]*/, '127.66.6.6'))];
      await other.close();
      return [first, second].map((response) => response.headers['x-ratelimit-remaining']);
    };
    // Two different addresses claimed: seen as one by default, and when the claim lies beyond the trusted hop.
    expect(await asked({}, '127.62.0.1')).toEqual(['9', '8']);
    expect(await asked({ TRUST_PROXY: '1' }, '127.62.0.2')).toEqual(['9', '9']);
    expect(await asked({ TRUST_PROXY: '1' }, '127.62.0.3, 127.62.0.4')).toEqual(['9', '8']);
  });
});

describe('limits per caller', () => {
  const limitOf = async (key: string) => header(await api.call('GET', '/me', { key }), 'x-ratelimit-limit');
  const untouched = async (options: Parameters<typeof makeKey>[1]) => {
    const made = await makeKey(api.runtime, options);
    await execute(api.runtime.context(system).em, sql`update api_key set rate_limit = null where id = ${made.keyId}::uuid`);
    return made.key;
  };

  it.each([
    ['free', 60],
    ['starter', 60],
    ['growth', 300],
    ['pro', 1000],
  ])('a merchant of the tier %s and its onboarding key: %i a minute', async (tier, limit) => {
    const { merchantId } = await makeMerchant(api.runtime);
    await execute(api.runtime.context(system).em, sql`update merchant set billing_tier = ${tier} where id = ${merchantId}::uuid`);
    expect(await limitOf(await untouched({ ownerId: merchantId }))).toBe(limit);
    expect(await limitOf(await untouched({ ownerId: merchantId, keyType: 'onboarding' }))).toBe(limit);
  });

  it('affiliates have the limit of the free tier', async () => {
    const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
    const { profileId } = await makeAffiliate(api.runtime, programId);
    expect(await limitOf(await untouched({ ownerId: profileId, keyType: 'affiliate' }))).toBe(60);
  });

  it('a limit of one key does not change other keys of its owner', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const sister = await untouched({ ownerId: merchantId });
    expect(await limitOf((await makeKey(api.runtime, { ownerId: merchantId, rateLimit: 7 })).key)).toBe(7);
    expect(await limitOf(sister)).toBe(60);
  });

  it('each key has its own window', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const one = await makeKey(api.runtime, { ownerId: merchantId, rateLimit: 1 });
    const two = await makeKey(api.runtime, { ownerId: merchantId, rateLimit: 1 });
    expect(
      statusesOf([await api.call('GET', '/me', one), await api.call('GET', '/me', one), await api.call('GET', '/me', two)]),
    ).toEqual([200, 429, 200]);
  });
});
