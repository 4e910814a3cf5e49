import { execute, sql } from '../../../src/platform/database/sql.ts';
import { type TestResponse, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { openAnotherApi } from './another-api.ts';
import { system } from './support.ts';

const api = useTestApi();

const keyWith = async (rateLimit: number) =>
  makeKey(api.runtime, { ownerId: (await makeMerchant(api.runtime)).merchantId, rateLimit });
const times = async (count: number, act: () => Promise<TestResponse>): Promise<TestResponse[]> => {
  const answers: TestResponse[] = [];
  for (let time = 0; time < count; time++) answers.push(await act());
  return answers;
};
const statusesOf = (answers: TestResponse[]): number[] => answers.map((answer) => answer.status);
const header = (answer: TestResponse, name: string): number => Number(answer.headers[name]);

describe('the headers', () => {
  it('tell the limit, what is left of it, and the second at which the oldest request leaves the window', async () => {
    const { key } = await keyWith(3);
    const before = Date.now();
    const first = await api.call('GET', '/me', { key });
    const after = Date.now();
    const rest = await times(3, () => api.call('GET', '/me', { key }));
    const answers = [first, ...rest];
    expect(statusesOf(answers)).toEqual([200, 200, 200, 429]);
    expect(answers.map((answer) => header(answer, 'x-ratelimit-limit'))).toEqual([3, 3, 3, 3]);
    expect(answers.map((answer) => header(answer, 'x-ratelimit-remaining'))).toEqual([2, 1, 0, 0]);
    for (const answer of answers) {
      expect(header(answer, 'x-ratelimit-reset')).toBeGreaterThanOrEqual(Math.ceil((before + 59_999) / 1000));
      expect(header(answer, 'x-ratelimit-reset')).toBeLessThanOrEqual(Math.ceil((after + 60_001) / 1000));
    }
    const refused = answers[3] as TestResponse;
    const wait = header(refused, 'retry-after');
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(Math.abs(header(refused, 'x-ratelimit-reset') - Date.now() / 1000 - wait)).toBeLessThanOrEqual(2);
    expect(refused.error).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfter: wait } });
  });

  it('refused requests do not count, and do not move the end of the wait', async () => {
    const { key, keyId } = await keyWith(2);
    await times(2, () => api.call('GET', '/me', { key }));
    const [first, ...more] = await times(30, () => api.call('GET', '/me', { key }));
    expect(new Set(more.map((answer) => answer.headers['x-ratelimit-reset']))).toEqual(
      new Set([first?.headers['x-ratelimit-reset']]),
    );
    expect(await api.runtime.redis.zcard(`rate:k:${keyId}`)).toBe(2);
  });

  it('every answer counts as one, whatever it is', async () => {
    const { key } = await keyWith(5);
    const answers = [
      await api.call('GET', '/nothing', { key }),
      await api.call('POST', '/programs', { key, body: '{' }),
      await api.call('POST', '/programs', { key, body: {} }),
      await api.call('PUT', '/programs', { key }),
      await api.call('GET', '/openapi.json', { key }),
      await api.call('GET', '/me', { key }),
    ];
    expect(statusesOf(answers)).toEqual([404, 400, 422, 404, 200, 429]);
    expect(answers.map((answer) => header(answer, 'x-ratelimit-remaining'))).toEqual([4, 3, 2, 1, 0, 0]);
  });

  it('health and metrics are free', async () => {
    for (let time = 0; time < 15; time++) {
      const answer = await api.app.inject({ url: '/health/live', remoteAddress: '127.60.0.9' });
      expect([answer.statusCode, answer.headers['x-ratelimit-limit']]).toEqual([200, undefined]);
    }
  });
});

describe('the window', () => {
  it('slides: each request leaves it exactly one window after it came', async () => {
    const windowMs = 1_500;
    const { key } = await keyWith(3);
    const other = await openAnotherApi(api.runtime.config.DATABASE_URL, { windowMs });
    const came: number[] = [];
    const come = async (): Promise<number> => {
      const { status } = await other.get('/me', key);
      if (status === 200) came.push(Date.now());
      return status;
    };
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
    for (let time = 0; time < 3; time++) {
      expect(await come()).toBe(200);
      await pause(200);
    }
    expect(await come()).toBe(429);
    for (let left = 0; left < 3; left++) {
      // Each time one has left, exactly one more may come.
      await pause((came[left] as number) + windowMs + 40 - Date.now());
      expect([await come(), await come()]).toEqual([200, 429]);
    }
    await other.close();
  });

  it('is one for all processes', async () => {
    const { key } = await keyWith(20);
    const others = await Promise.all([1, 2, 3].map(() => openAnotherApi(api.runtime.config.DATABASE_URL)));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (others[at % 3] as (typeof others)[0]).get('/me', key)),
    );
    expect(statusesOf(answers).filter((status) => status === 200)).toHaveLength(20);
    const left = answers.filter((answer) => answer.status === 200).map((answer) => header(answer, 'x-ratelimit-remaining'));
    expect(left.sort((a, b) => b - a)).toEqual(Array.from({ length: 20 }, (_, at) => 19 - at));
    await Promise.all(others.map((other) => other.close()));
  });
});

describe('without a valid key', () => {
  const from = (address: string, options: object = {}) => api.call('GET', '/me', { from: address, ...options });
  const left = async (address: string) => header(await from(address), 'x-ratelimit-remaining');

  it('ten a minute for an address, whatever is asked, and guessed keys count among them', async () => {
    const guesses = [undefined, 'ak_live_guess', '', 'x'.repeat(5_000)];
    const answers = [];
    for (let time = 0; time < 12; time++) answers.push(await from('127.61.0.1', { key: guesses[time % 4] }));
    expect(statusesOf(answers)).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    expect(header(answers[0] as TestResponse, 'x-ratelimit-limit')).toBe(10);
    expect((await api.call('GET', '/meta', { from: '127.61.0.1' })).status).toBe(429);
    expect((await from('127.61.0.2')).status).toBe(401);
  });

  it('a caller with a key is not held by what others did from the same address', async () => {
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

  it('X-Forwarded-For is believed from as many proxies as are configured, and no more', async () => {
    const asked = async (env: Record<string, string>, forwarded: string) => {
      const other = await openAnotherApi(api.runtime.config.DATABASE_URL, { env });
      const inject = (text: string) =>
        other.app.inject({ url: '/api/v1/me', remoteAddress: '127.61.0.50', headers: { 'x-forwarded-for': text } });
      const [first, second] = [await inject(forwarded), await inject(forwarded.replace(/^[^,]*/, '127.66.6.6'))];
      await other.close();
      return [first, second].map((answer) => answer.headers['x-ratelimit-remaining']);
    };
    // Two different addresses claimed: seen as one by default, and when the claim lies beyond the trusted hop.
    expect(await asked({}, '127.62.0.1')).toEqual(['9', '8']);
    expect(await asked({ TRUST_PROXY: '1' }, '127.62.0.2')).toEqual(['9', '9']);
    expect(await asked({ TRUST_PROXY: '1' }, '127.62.0.3, 127.62.0.4')).toEqual(['9', '8']);
  });
});

describe('who may ask how often', () => {
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

  it('an affiliate as the free tier', async () => {
    const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
    const { profileId } = await makeAffiliate(api.runtime, programId);
    expect(await limitOf(await untouched({ ownerId: profileId, keyType: 'affiliate' }))).toBe(60);
  });

  it('a key with a number of its own as that says, and its sisters as before', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const sister = await untouched({ ownerId: merchantId });
    expect(await limitOf((await makeKey(api.runtime, { ownerId: merchantId, rateLimit: 7 })).key)).toBe(7);
    expect(await limitOf(sister)).toBe(60);
  });

  it('each key has a window of its own', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const one = await makeKey(api.runtime, { ownerId: merchantId, rateLimit: 1 });
    const two = await makeKey(api.runtime, { ownerId: merchantId, rateLimit: 1 });
    expect(
      statusesOf([await api.call('GET', '/me', one), await api.call('GET', '/me', one), await api.call('GET', '/me', two)]),
    ).toEqual([200, 429, 200]);
  });
});
