import type { AddressInfo } from 'node:net';
import { ERRORS } from '../../../src/contracts/error-codes.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { parseResponse, parseResponses, requestText, sendRaw } from '../../support/raw-http.ts';

const api = useTestApi();
let port: number;
let key: string;
let auth: string;
beforeAll(async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = api.app.server.address() as AddressInfo);
  ({ key } = await makeMerchant(api.runtime));
  auth = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
});

const send = (bytes: string | Uint8Array, idleMs?: number) => sendRaw(port, bytes, idleMs === undefined ? {} : { idleMs });
const head = (start: string, more = ''): string => `${start} HTTP/1.1\r\n${auth}Connection: close\r\n${more}\r\n`;
const post = (body: string | Buffer, type = 'application/json'): Buffer => {
  const start = requestText('POST /api/v1/programs', {
    Authorization: `Bearer ${key}`,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  });
  return Buffer.concat([Buffer.from(start), Buffer.from(body as string)]);
};
const chunked = (chunks: string, more = ''): string =>
  `${head('POST /api/v1/programs', `Transfer-Encoding: chunked\r\n${more}`)}${chunks}`;

/** Every response has the documented shape, and another caller is served as always. */
const expectDocumented = async (received: string, status: number) => {
  const responses = parseResponses(received);
  expect(responses.map((response) => response.status)).toEqual([status]);
  for (const { headers, body } of responses) {
    expect(ERRORS[body.error.code as keyof typeof ERRORS].status).toBe(status);
    expect(body).toMatchObject({ error: { message: expect.any(String) }, meta: { requestId: headers['x-request-id'] } });
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  }
  expect(parseResponse(await send(head('GET /api/v1/me'))).status).toBe(200);
};

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const program = (more: string): string => `{"name":"A","commissionType":"recurring",${more}}`;

test.each<[string, number, () => Uint8Array]>([
  ['truncated JSON', 400, () => post('{"name":"A')],
  ['100 000 opening brackets', 400, () => post('['.repeat(100_000))],
  ['an object nested 5 000 deep', 400, () => post(nested(5_000))],
  ['a repeated member', 400, () => post('{"name":"A","name":"B"}')],
  ['a member repeated by an escape', 400, () => post('{"name":"A","x":{"a":1,"\\u0061":2}}')],
  ['__proto__', 400, () => post('{"name":"A","__proto__":{"isAdmin":true}}')],
  ['an escaped __proto__', 400, () => post('{"name":"A","\\u005f_proto__":{"isAdmin":true}}')],
  ['constructor.prototype', 400, () => post('{"name":"A","constructor":{"prototype":{"isAdmin":true}}}')],
  ['NaN', 400, () => post('{"name":NaN}')],
  ['1e400', 422, () => post(program('"commissionPercent":1e400'))],
  ['a number of 1 000 digits', 422, () => post(program(`"commissionPercent":${'9'.repeat(1_000)}`))],
  ['an integer beyond 2^53', 422, () => post(program('"commissionPercent":20,"payoutThreshold":9007199254740993'))],
  ['UTF-16', 400, () => post(Buffer.from('{"name":"A"}', 'utf16le'))],
  ['invalid UTF-8', 400, () => post(Buffer.from('{"name":"\xff"}', 'latin1'))],
  ['another charset', 400, () => post('{}', 'application/json; charset=iso-8859-1')],
  ['a form', 400, () => post('name=A', 'application/x-www-form-urlencoded')],
  ['an array', 422, () => post('[]')],
  ['null', 422, () => post('null')],
])('B2: a body with %s is %i', async (_what, status, bytes) => {
  await expectDocumented(await send(bytes()), status);
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
});

test.each([
  ['a percent sign', '/api/v1/payouts/%', 400],
  ['an invalid escape', '/api/v1/payouts/%zz', 400],
  ['invalid UTF-8', '/api/v1/payouts/%ff', 400],
  ['overlong UTF-8', '/api/v1/payouts/%c0%af', 400],
  ['a null byte', '/api/v1/payouts/%00', 400],
  ['raw bytes', '/api/v1/payouts/\u00ff', 400],
  ['an invalid escape in the query', '/api/v1/affiliates?search=%zz', 400],
  ['invalid UTF-8 in the query', '/api/v1/affiliates?search=%ff', 400],
  ['a surrogate in the query', '/api/v1/affiliates?search=%ed%a0%80', 400],
  ['a null byte in the query', '/api/v1/affiliates?search=%00', 400],
  ['raw bytes in the query', '/api/v1/affiliates?search=\u00ff', 400],
  ['__proto__ in the query', '/api/v1/payouts?__proto__=1', 400],
  ['a repeated query parameter', '/api/v1/payouts?status=failed&status=pending', 400],
  ['3 000 query parameters', `/api/v1/payouts?${'a=1&'.repeat(3_000)}`, 400],
  ['a path of 12 kB', `/api/v1/${'a'.repeat(12_000)}`, 404],
  ['a path of 60 kB', `/api/v1/${'a'.repeat(60_000)}`, 400],
  ['an id of 300 characters', `/api/v1/payouts/${'a'.repeat(300)}`, 400],
  ['a query of 12 kB', `/api/v1/affiliates?search=${'a'.repeat(12_000)}`, 400],
  ['dot segments', '/api/v1/../../etc/passwd', 404],
  ['two slashes', '//api/v1/me', 404],
  ['a backslash', '\\api\\v1\\me', 400],
  ['an asterisk', '*', 404],
  ['another scheme', 'ftp://x/api/v1/me', 404],
  ['a host without a path', 'http://x', 404],
])('B2: a target with %s', async (_what, target, status) => {
  await expectDocumented(await send(Buffer.from(head(`GET ${target}`), 'latin1')), status);
});

test.each<[string, number, () => string]>([
  ['no version', 400, () => 'GET /api/v1/me\r\n\r\n'],
  ['version 2.0', 400, () => head('GET /api/v1/me').replace('HTTP/1.1', 'HTTP/2.0')],
  ['version 1.2', 400, () => head('GET /api/v1/me').replace('HTTP/1.1', 'HTTP/1.2')],
  ['the preface of HTTP/2', 400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a method in lower case', 400, () => head('get /api/v1/me')],
  ['a host that is no name', 400, () => head('GET /api/v1/me').replace('Host: x', 'Host: a b<>/@')],
  ['2 100 headers', 400, () => head('GET /api/v1/me', 'a: b\r\n'.repeat(2_100))],
  ['a folded header', 400, () => head('GET /api/v1/me', 'X-A: b\r\n c\r\n')],
  ['a folded first header', 400, () => 'GET /api/v1/me HTTP/1.1\r\n Host: x\r\n\r\n'],
  ['a space before a colon', 400, () => `${head('POST /api/v1/programs', 'Content-Length : 2\r\n')}{}`],
  ['bare line feeds', 400, () => 'GET /api/v1/me HTTP/1.1\nHost: x\n\n'],
  ['a bare carriage return', 400, () => 'GET /api/v1/me HTTP/1.1\r\nHost: x\rX: y\r\n\r\n'],
])('B2: a head with %s is %i', async (_what, status, text) => {
  await expectDocumented(await send(text()), status);
});

const smuggled = 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n';

test.each<[string, () => string]>([
  ['CL.TE', () => `${chunked('', 'Content-Length: 6\r\n')}0\r\n\r\n${smuggled}`],
  ['TE.CL', () => `${chunked('', 'Content-Length: 4\r\n')}28\r\n${smuggled}\r\n0\r\n\r\n`],
  ['two transfer encodings', () => chunked(`0\r\n\r\n${smuggled}`, 'Transfer-Encoding: identity\r\n')],
  ['an unknown coding', () => chunked(`0\r\n\r\n${smuggled}`).replace(': chunked', ': xchunked')],
  ['a coding after chunked', () => chunked(`0\r\n\r\n${smuggled}`).replace(': chunked', ': chunked, identity')],
  ['a coding before chunked', () => chunked('2\r\n{}\r\n0\r\n\r\n').replace(': chunked', ': gzip, chunked')],
  ['a folded coding', () => chunked('0\r\n\r\n').replace(': chunked', ':\r\n chunked')],
  ['a space before the colon', () => chunked('0\r\n\r\n').replace(': chunked', ' : chunked')],
  ['chunks in HTTP/1.0', () => chunked('2\r\n{}\r\n0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0')],
  ['line feeds between chunks', () => chunked('2\n{}\n0\n\n')],
  ['a negative chunk', () => chunked('-2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk length beyond 64 bits', () => chunked('fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
  ['a chunk extension of 20 kB', () => chunked(`2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['trailers of 30 kB', () => chunked(`2\r\n{}\r\n0\r\nX: ${'y'.repeat(30_000)}\r\n\r\n`)],
  ...['+2', '-1', '0x2', '2, 2', '9'.repeat(23)].map((length): [string, () => string] => [
    `Content-Length: ${length}`,
    () => `${head('POST /api/v1/programs', `Content-Length: ${length}\r\n`)}{}`,
  ]),
  ['two equal lengths', () => `${head('POST /api/v1/programs', 'Content-Length: 2\r\nContent-Length: 2\r\n')}{}`],
])('B2: %s gets one 400, and nothing smuggled is answered', async (_what, text) => {
  await expectDocumented(await send(text()), 400);
});

describe('B2: HEAD', () => {
  it.each([
    ['an operation', '/api/v1/me', '', 200],
    ['an unknown path', '/api/v1/nothing', '', 404],
    ['a POST operation', '/api/v1/programs/x/event-secret', '', 404],
    ['an operation, with a body', '/api/v1/me', 'Content-Length: 9\r\n', 400],
  ])('of %s has the status of GET, its headers and no body', async (_what, path, more, status) => {
    const [response, ...others] = parseResponses(await send(`${head(`HEAD ${path}`, more)}${more && '{"a":"b"}'}`));
    expect(others).toEqual([]);
    expect(response).toMatchObject({ status, body: null, headers: { 'x-request-id': expect.any(String) } });
    expect(Number(response?.headers['content-length'])).toBeGreaterThan(0);
  });
});

test.each([
  ['with keep-alive', 'Connection: keep-alive\r\n', 'keep-alive'],
  ['without it', '', 'close'],
])('B2: HTTP/1.0 %s is served', async (_what, more, connection) => {
  const text = `GET /api/v1/me HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`;
  expect(parseResponse(await send(text, 3_000))).toMatchObject({ status: 200, headers: { connection } });
});

test('B2: garbage after a request does not replace its response', async () => {
  const name = 'After all';
  const body = JSON.stringify({ name, commissionType: 'recurring', commissionPercent: 20 });
  const create = `POST /api/v1/programs HTTP/1.1\r\n${auth}Content-Length: ${body.length}\r\n\r\n${body}`;
  const [created, read, rejected, ...others] = parseResponses(
    await send(`${create}GET /api/v1/me HTTP/1.1\r\n${auth}\r\nGARBAGE\r\n\r\n`),
  );
  expect(created).toMatchObject({ status: 201, body: { data: { name } } });
  expect(read).toMatchObject({ status: 200 });
  expect(rejected).toMatchObject({ status: 400, headers: { connection: 'close' }, body: { error: { code: 'BAD_REQUEST' } } });
  expect(others).toEqual([]);
});
