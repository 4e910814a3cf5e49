import { randomUUID } from 'node:crypto';
import { ERRORS } from '../../../src/contracts/error-codes.ts';
import { generateApiKey } from '../../../src/domains/auth/api-key-format.rules.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { type TestResponse, useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { FAKE_ACCOUNT, signNotice } from '../../support/rails/fake-account-rail.ts';
import { scriptChecks, storeAccount, useAccountRail } from '../../support/rails/scripted-account-rail.ts';
import { system } from './support.ts';

const api = useOwnApi({}, { asOwner: true });
useAccountRail(api, scriptChecks().definition);

const programBody = { name: 'A', commissionType: 'one_time', commissionPercent: 10 };
const owner = () => makeMerchant(api.runtime);
const limited = async (rateLimit: number) => (await makeKey(api.runtime, { ownerId: (await owner()).merchantId, rateLimit })).key;

interface Scene {
  status: number;
  code: keyof typeof ERRORS;
  when: string;
  act(): Promise<TestResponse>;
  details?: unknown;
  /** What others send is limited by concurrency, so that it has no headers of a rate limit. */
  isSentByOthers?: true;
}

const issue = (path: string) => ({ issues: [{ path, code: expect.any(String), message: expect.any(String) }] });

const broken = async (): Promise<TestResponse> => {
  const { key } = await owner();
  const { em } = api.runtime.context(system);
  await execute(em, sql`alter table program rename to program_away`);
  try {
    return await api.call('GET', '/programs', { key });
  } finally {
    await execute(em, sql`alter table program_away rename to program`);
  }
};

const reused = async (): Promise<TestResponse> => {
  const { key } = await owner();
  const headers = { 'idempotency-key': 'k' };
  await api.call('POST', '/programs', { key, headers, body: programBody });
  return api.call('POST', '/programs', { key, headers, body: { ...programBody, name: 'B' } });
};

const foreign = async (): Promise<TestResponse> => {
  const theirs = await owner();
  const { programId } = await makeProgram(api, theirs.key);
  return api.call('GET', `/programs/${programId}`, { key: (await owner()).key });
};

const unaffordable = async (): Promise<TestResponse> => {
  const { key } = await owner();
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  return api.call('POST', '/payouts', { key, body: { programId, affiliateId } });
};

const exhausted = async (): Promise<TestResponse> => {
  const key = await limited(1);
  await api.call('GET', '/me', { key });
  return api.call('GET', '/me', { key });
};

/** A provider's notice whose certificate cannot be read now. */
const unverifiable = async (): Promise<TestResponse> => {
  const { merchantId } = await owner();
  const account = { url: 'http://127.0.0.1:9', clientId: 'c', clientSecret: 's', webhookSecret: 'hook' };
  await storeAccount(api, merchantId, account);
  const body = '{}';
  const headers = { 'x-signature': signNotice(account.webhookSecret, Buffer.from(body)), 'x-key': 'unreachable' };
  return api.raw('POST', `/api/integrations/rails/${FAKE_ACCOUNT}/${merchantId}`, { body, headers });
};

/** The tables of the specification, sections 5.6 and 7. */
const CASES: Scene[] = [
  {
    status: 400,
    code: 'BAD_REQUEST',
    when: 'a query parameter is not valid',
    details: issue('limit'),
    act: async () => api.call('GET', '/programs', { key: (await owner()).key, query: { limit: 'x' } }),
  },
  {
    status: 400,
    code: 'BAD_REQUEST',
    when: 'a path parameter is not valid',
    details: issue('id'),
    act: async () => api.call('GET', '/programs/x', { key: (await owner()).key }),
  },
  {
    status: 400,
    code: 'BAD_REQUEST',
    when: 'the body is not JSON',
    details: issue('body'),
    act: async () => api.call('POST', '/programs', { key: (await owner()).key, body: '{"name":' }),
  },
  { status: 401, code: 'UNAUTHORIZED', when: 'there is no API key', act: () => api.call('GET', '/programs') },
  {
    status: 401,
    code: 'UNAUTHORIZED',
    when: 'the key is not valid',
    act: () => api.call('GET', '/programs', { key: 'ak_live_x' }),
  },
  { status: 403, code: 'FORBIDDEN', when: "the object is another merchant's", act: foreign },
  {
    status: 403,
    code: 'FORBIDDEN',
    when: 'the key is of another type',
    act: async () =>
      api.call('GET', '/programs', { key: (await makeKey(api.runtime, { ownerId: randomUUID(), keyType: 'affiliate' })).key }),
  },
  {
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
    when: 'the key lacks the scope',
    details: { required: 'programs:read', granted: ['payouts:read'] },
    act: async () =>
      api.call('GET', '/programs', {
        key: (await makeKey(api.runtime, { ownerId: (await owner()).merchantId, scopes: ['payouts:read'] })).key,
      }),
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    when: 'the object does not exist',
    act: async () => api.call('GET', `/programs/${randomUUID()}`, { key: (await owner()).key }),
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    when: 'the path is unknown',
    act: async () => api.call('GET', '/nothing', { key: (await owner()).key }),
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    when: 'the path is unknown, whatever the body',
    act: async () => api.call('POST', '/nothing', { key: (await owner()).key, body: '{' }),
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    when: 'the path is unknown to a caller without a key',
    act: () => api.call('GET', '/nothing'),
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    when: 'the method is not that of the path',
    act: async () => api.call('PUT', '/programs', { key: (await owner()).key, body: programBody }),
  },
  {
    status: 409,
    code: 'CONFLICT',
    when: 'the state of the object does not allow it',
    details: { reason: 'NOTHING_PAYABLE', payable: 0 },
    act: unaffordable,
  },
  { status: 409, code: 'IDEMPOTENCY_KEY_REUSED', when: 'an idempotency key is reused with different input', act: reused },
  {
    status: 422,
    code: 'VALIDATION_ERROR',
    when: 'the body fails its schema',
    details: issue('commissionPercent'),
    act: async () =>
      api.call('POST', '/programs', { key: (await owner()).key, body: { ...programBody, commissionPercent: 'ten' } }),
  },
  {
    status: 422,
    code: 'VALIDATION_ERROR',
    when: 'a field is not recognized',
    details: issue('nmae'),
    act: async () => api.call('POST', '/programs', { key: (await owner()).key, body: { ...programBody, nmae: 'x' } }),
  },
  {
    status: 429,
    code: 'RATE_LIMITED',
    when: 'there were too many requests',
    details: { retryAfter: expect.any(Number) },
    act: exhausted,
  },
  { status: 500, code: 'INTERNAL_ERROR', when: 'the server fails', act: broken },
  {
    status: 503,
    code: 'UNAVAILABLE',
    when: 'what the request needs cannot be reached',
    act: unverifiable,
    isSentByOthers: true,
  },
];

const RATE = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const expectHeaders = ({ status, headers, meta }: TestResponse, isSentByOthers = false) => {
  const value = isSentByOthers ? undefined : expect.stringMatching(/^\d+$/);
  for (const name of RATE) expect({ name, value: headers[name] }).toEqual({ name, value });
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
  expect(meta.requestId).toBe(headers['x-request-id']);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  if (status === 429 || status === 503) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  else expect(headers['retry-after']).toBeUndefined();
};

describe.each(CASES)('$status $code when $when', ({ status, code, details, act, isSentByOthers }) => {
  it('the response has the error envelope and all headers, and reveals no internals', async () => {
    const response = await act();
    expect(response).toMatchObject({ status, error: { code, message: expect.any(String) }, data: undefined });
    expect(Object.keys(JSON.parse(response.text)).sort()).toEqual(['error', 'meta']);
    expect(Object.keys(response.error).sort()).toEqual(details ? ['code', 'details', 'message'] : ['code', 'message']);
    if (details) expect(response.error.details).toEqual(details);
    expectHeaders(response, isSentByOthers);
  });
});

test('every error code of the specification is covered', () => {
  expect(new Set(CASES.map(({ code }) => code))).toEqual(new Set(Object.keys(ERRORS)));
});

test('a missing route is named by method and path, without the query', async () => {
  const message = async (path: string) => (await api.call('POST', path)).error.message;
  expect(await message('/nothing?email=a@example.com')).toBe('No route matches POST /api/v1/nothing');
  expect(await message(`/${'x'.repeat(500)}`)).toBe(`No route matches POST /api/v1/${'x'.repeat(192)}`);
});

test('401 names the reason: only the holder of a key learns that it was revoked or has expired', async () => {
  const { merchantId } = await owner();
  const { em } = api.runtime.context(system);
  const spoiled = async (column: 'revoked_at' | 'expires_at') => {
    const made = await makeKey(api.runtime, { ownerId: merchantId });
    await execute(em, sql`update api_key set ${sql.ref(column)} = now() where id = ${made.keyId}::uuid`);
    return made.key;
  };
  const message = async (key?: string) => (await api.call('GET', '/merchant', key === undefined ? {} : { key })).error.message;
  expect(await message()).toBe('An API key is required: Authorization: Bearer <API_KEY>');
  expect(await message('ak_live_x')).toBe('The API key is malformed');
  expect(await message(generateApiKey('merchant'))).toBe('The API key is not valid');
  expect(await message(await spoiled('revoked_at'))).toBe('The API key has been revoked');
  expect(await message(await spoiled('expires_at'))).toBe('The API key has expired');
});

describe('successes', () => {
  it.each([
    ['200', async () => api.call('GET', '/merchant', { key: (await owner()).key }), 200],
    ['200 of a list', async () => api.call('GET', '/programs', { key: (await owner()).key }), 200],
    ['200 without a key', async () => api.call('GET', '/meta'), 200],
    [
      '201',
      async () => api.call('POST', '/programs', { key: (await owner()).key, body: { ...programBody, name: unique() } }),
      201,
    ],
  ])('%s: the envelope of successes and all headers', async (_name, act, status) => {
    const response = await act();
    expect(response.status).toBe(status);
    expect(Object.keys(JSON.parse(response.text)).sort()).toEqual(['data', 'meta']);
    expectHeaders(response);
  });

  it('only /openapi.json has no envelope; its headers are the same', async () => {
    const response = await api.call('GET', '/openapi.json');
    expect(JSON.parse(response.text)).toMatchObject({ openapi: '3.1.0' });
    expectHeaders({ ...response, meta: { requestId: response.headers['x-request-id'] } });
  });
});

test('an internal error reveals nothing about its cause', async () => {
  const response = await broken();
  expect(response.text).not.toMatch(/program|relation|sql|select|postgres|stack|\.ts|node_modules/i);
  expect(response.error).toEqual({
    code: 'INTERNAL_ERROR',
    message: 'Internal error. Include the request id when you report it.',
  });
});
