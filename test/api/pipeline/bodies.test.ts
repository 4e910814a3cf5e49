import { randomUUID } from 'node:crypto';
import { MAX_BODY_BYTES } from '../../../src/contracts/limits.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { callOperation, nameOf, operationOf, rowOf } from './support.ts';

/* That every operation checks its parameters and body is in test/unit/pipeline/operation-input.test.ts. */

const api = useTestApi();
let key: string;
let programId: string;
beforeAll(async () => {
  ({ key } = await makeMerchant(api.runtime));
  ({ programId } = await makeProgram(api, key));
});

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

test.each(['{"a":1}', '[]', 'null', '[1]', '"x"'])('the body %s is 400 for an operation that takes none', async (body) => {
  for (const id of ['listPrograms', 'issueProgramEventSecret', 'deleteWebhookEndpoint']) {
    expect(await callOperation(api, operationOf(id), { id: programId, key, body })).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', details: { reason: 'BODY_NOT_ALLOWED' } },
    });
  }
});

/** One for each method, with an id and without. */
const WITH_BODY = ['createProgram', 'updateProgram', 'updateNotificationPreferences', 'deleteMarketingResource'].map(operationOf);
const send = (op: Operation, body: unknown, headers: Record<string, string> = {}) =>
  callOperation(api, op, { id: programId, key, body, headers });

describe.each(WITH_BODY.map((op): [string, Operation] => [nameOf(op), op]))('%s', (_name, op) => {
  it.each(['null', '[]', '"text"', '5', 'true'])('a body that is %s is 422', async (body) => {
    expect(await send(op, body)).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
  });

  it('an unknown field is rejected by name', async () => {
    expect(await send(op, { ...(op.example.body as object), surprise: 1 })).toMatchObject({
      status: 422,
      error: { details: { issues: [{ path: 'surprise', code: 'unrecognized_keys' }] } },
    });
  });
});

test('a field that only the server sets is 422 with its name, and nothing changes', async () => {
  const before = await rowOf(api.runtime, { table: 'program', id: programId });
  const owned = { id: randomUUID(), merchantId: randomUUID(), createdAt: '2020-01-01T00:00:00.000Z', billingTier: 'pro' };
  for (const [name, value] of Object.entries(owned)) {
    expect(await api.call('PATCH', `/programs/${programId}`, { key, body: { name: 'Mine', [name]: value } })).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: name, code: 'unrecognized_keys' }] } },
    });
  }
  expect(await rowOf(api.runtime, { table: 'program', id: programId })).toEqual(before);
});

test.each([
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
  for (const op of WITH_BODY) expect(await send(op, body)).toMatchObject(badRequest('body', 'invalid_json'));
});

test.each([
  ['text/plain', '{}'],
  ['application/x-www-form-urlencoded', 'a=1'],
  ['multipart/form-data; boundary=x', '--x--'],
  ['application/jsonp', '{}'],
  ['text/json', '{}'],
  ['nonsense', '{}'],
])('content type %s: 400', async (type, body) => {
  for (const op of WITH_BODY) expect(await send(op, body, { 'content-type': type })).toMatchObject(badRequest('content-type'));
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
  it('an unknown query parameter is 400 for reads and writes', async () => {
    for (const id of ['getMeta', 'listPrograms', 'createProgram']) {
      expect(await callOperation(api, operationOf(id), { key, query: { surprise: '1' } })).toMatchObject(badRequest('surprise'));
    }
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
