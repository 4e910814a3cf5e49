import { OPERATIONS } from '../../../src/api/routes.ts';
import { MAX_BODY_BYTES } from '../../../src/contracts/limits.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { callOperation, table, withBody } from './support.ts';

const api = useTestApi();
let key: string;
let affiliateKey: string;
let programId: string;
beforeAll(async () => {
  ({ key } = await makeMerchant(api.runtime));
  ({ programId } = await makeProgram(api, key));
  const { profileId } = await makeAffiliate(api.runtime, programId);
  affiliateKey = (await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' })).key;
});

const keyFor = (op: Operation): string | undefined => {
  if (op.access === 'public') return undefined;
  return op.access.keys.includes('merchant') ? key : affiliateKey;
};
const badRequest = (path: string, code?: string) => ({
  status: 400,
  error: { code: 'BAD_REQUEST', details: { issues: [expect.objectContaining({ path, ...(code ? { code } : {}) })] } },
});

describe('an empty body with a JSON content type is an empty object', () => {
  it.each([
    ['GET', '/merchant', 200],
    ['PATCH', '/merchant', 200],
    ['POST', '/programs', 422],
    ['DELETE', '/webhooks/0198f1c2-7a4e-7c31-9f0a-000000000000', 404],
    ['POST', '/webhooks/0198f1c2-7a4e-7c31-9f0a-000000000000/rotate-secret', 404],
  ] as const)('%s %s: %i', async (method, path, status) => {
    for (const body of [undefined, '', '{}']) expect((await api.call(method, path, { key, body })).status).toBe(status);
  });

  it('no content type and no body count as no body', async () => {
    const response = await api.app.inject({
      method: 'POST',
      url: `/api/v1/programs/${programId}/event-secret`,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.statusCode).toBe(201);
  });
});

describe.each(table(OPERATIONS.filter((op) => !op.body)))('%s accepts no body', (_name, op) => {
  it.each(['{"a":1}', '[]', 'null', '[1]', '"x"'])('%s: 400 BODY_NOT_ALLOWED', async (body) => {
    expect(await callOperation(api, op, { id: programId, key: keyFor(op), body })).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', details: { reason: 'BODY_NOT_ALLOWED' } },
    });
  });
});

describe.each(table(withBody))('%s', (_name, op) => {
  it.each(['null', '[]', '"text"', '5', 'true'])('a body that is %s is 422', async (body) => {
    expect(await callOperation(api, op, { id: programId, key: keyFor(op), body })).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR' },
    });
  });

  it('an unknown field is rejected by name', async () => {
    const body = { ...(op.example.body as object), surprise: 1 };
    const response = await callOperation(api, op, { id: programId, key: keyFor(op), body });
    expect(response).toMatchObject({
      status: 422,
      error: { details: { issues: [{ path: 'surprise', code: 'unrecognized_keys' }] } },
    });
  });

  it.each([
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{"a":01}',
    '{"a":NaN}',
    'undefined',
    '{} {}',
    '{"a":"\u0001"}',
    '{"__proto__":{"admin":true}}',
    '{"a":{"__proto__":1}}',
    '{"constructor":{"prototype":{"admin":true}}}',
  ])('%s is not valid JSON: 400', async (body) => {
    expect(await callOperation(api, op, { id: programId, key: keyFor(op), body })).toMatchObject(
      badRequest('body', 'invalid_json'),
    );
  });

  it.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'a=1'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/jsonp', '{}'],
    ['text/json', '{}'],
    ['nonsense', '{}'],
  ])('content type %s: 400', async (type, body) => {
    const response = await callOperation(api, op, { id: programId, key: keyFor(op), body, headers: { 'content-type': type } });
    expect(response).toMatchObject(badRequest('content-type'));
  });
});

describe('ambiguous JSON', () => {
  const post = (body: string) => api.call('POST', '/programs', { key, body });
  const nested = (depth: number) => `{"name":${'['.repeat(depth)}1${']'.repeat(depth)}}`;

  it.each([
    ['a name twice', '{"name":"A","commissionType":"one_time","commissionPercent":10,"name":"B"}'],
    ['a name twice, once escaped', '{"name":"A","n\\u0061me":"B"}'],
    ['a name twice further inside', '{"name":[{"a":1,"b":{"a":2},"a":3}]}'],
  ])('%s is 400', async (_name, body) => {
    expect(await post(body)).toMatchObject(badRequest('body', 'repeated_name'));
  });

  it.each([
    ['the same name in two objects', '{"name":[{"a":1},{"a":1}]}', 422],
    [
      'a text that looks like a name',
      '{"name":"\\"name\\":1, {\\"name\\": [","commissionType":"one_time","commissionPercent":10}',
      201,
    ],
    ['sixty levels', nested(60), 422],
    ['a hundred levels', nested(100), 400],
    ['as many levels as fit', nested(500_000), 400],
  ])('%s: %#', async (_name, body, status) => {
    expect((await post(body)).status).toBe(status);
  });
});

describe('size', () => {
  const sized = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;

  it('a body of exactly 1 MiB is read', async () => {
    const body = sized(MAX_BODY_BYTES);
    expect(Buffer.byteLength(body)).toBe(1_048_576);
    expect((await api.call('POST', '/programs', { key, body })).status).toBe(422);
  });

  it.each([1, 1_000_000])('%i bytes more are 400 BODY_TOO_LARGE for every operation', async (more) => {
    for (const path of ['/programs', `/programs/${programId}/event-secret`]) {
      expect(await api.call('POST', path, { key, body: sized(MAX_BODY_BYTES + more) })).toMatchObject({
        status: 400,
        error: { code: 'BAD_REQUEST', details: { reason: 'BODY_TOO_LARGE' } },
      });
    }
  });
});

describe('URLs', () => {
  it.each(table(OPERATIONS))('%s: an unknown query parameter is 400', async (_name, op) => {
    const response = await callOperation(api, op, { key: keyFor(op), query: { surprise: '1' } });
    expect(response).toMatchObject(badRequest('surprise'));
  });

  it.each(['/programs/%zz', '/programs/%', '/programs/%c3%28', `/programs/${'a'.repeat(300)}`])(
    '%s is 400 with all headers',
    async (path) => {
      const response = await api.app.inject({
        method: 'GET',
        url: `/api/v1${path}`,
        headers: { authorization: `Bearer ${key}` },
      });
      expect(response.json()).toMatchObject({
        error: { code: 'BAD_REQUEST' },
        meta: { requestId: response.headers['x-request-id'] },
      });
      expect(response.statusCode).toBe(400);
      expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '1000000', 'x-ratelimit-remaining': expect.any(String) });
    },
  );

  it.each([
    'limit=1&limit=2',
    'limit=%zz',
    'limit=%00',
    'limit=1e1',
    'limit=',
    'limit=+5',
    'limit[]=5',
    '__proto__=1',
    'status=gone',
  ])('the query ?%s is 400', async (query) => {
    const response = await api.app.inject({
      method: 'GET',
      url: `/api/v1/programs?${query}`,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.json()).toMatchObject({ error: { code: 'BAD_REQUEST', details: { issues: [{}] } } });
  });
});

describe('H6: a body has one reading', () => {
  const post = (payload: Buffer | string, headers: Record<string, string> = {}) =>
    api.app.inject({
      method: 'POST',
      url: '/api/v1/programs',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      payload,
    });

  it.each([
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xc3, 0x28, ...Buffer.from('"}')]), 'invalid_utf8'],
    ['Latin-1', Buffer.from('{"name":"Jos\u00e9"}', 'latin1'), 'invalid_utf8'],
    ['UTF-16', Buffer.from('{"name":"A"}', 'utf16le'), 'invalid_json'],
  ])('%s is 400', async (_name, payload, code) => {
    expect((await post(payload)).json()).toMatchObject({ error: badRequest('body', code).error });
  });

  it('Content-Encoding is 400, and identity is not', async () => {
    expect((await post('{}', { 'content-encoding': 'gzip' })).json()).toMatchObject({ error: { code: 'BAD_REQUEST' } });
    expect((await post('{}', { 'content-encoding': 'identity' })).statusCode).toBe(422);
  });
});

describe('H12: the body of a GET', () => {
  const get = (payload: string, headers: Record<string, string> = {}) =>
    api.app.inject({
      method: 'GET',
      url: '/api/v1/me',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      payload,
    });

  it.each(['xx', '[]', '1', '{"a":1}'])('%s is 400', async (payload) => {
    expect((await get(payload)).statusCode).toBe(400);
  });

  it.each<Record<string, string>>([{}, { 'transfer-encoding': 'chunked' }])('{} is no body, with %j too', async (headers) => {
    expect((await get('{}', headers)).statusCode).toBe(200);
  });
});
