import type { AddressInfo } from 'node:net';
import { ERRORS } from '../../../src/contracts/error-codes.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { AMBIGUOUS_BODIES, MALFORMED_BODIES, MALFORMED_HEADS, MALFORMED_TARGETS } from '../../support/malformed-requests.ts';
import { parseResponse, parseResponses, sendRaw } from '../../support/raw-http.ts';

const api = useOwnApi();
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

test.each(MALFORMED_BODIES)('B2: a body with %s is %i', async (_what, status, bytes) => {
  await expectDocumented(await send(bytes(key)), status);
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
});

test.each(MALFORMED_TARGETS)('B2: a target with %s is %i', async (_what, status, bytes) => {
  await expectDocumented(await send(bytes(key)), status);
});

test.each([
  ['an asterisk', '*'],
  ['a host without a path', 'http://x'],
])('B2: a target with %s is the address of the server', async (_what, target) => {
  expect(parseResponse(await send(head(`GET ${target}`)))).toMatchObject({ status: 302, headers: { location: '/docs/' } });
});

test.each(MALFORMED_HEADS)('B2: a head with %s is %i', async (_what, status, bytes) => {
  await expectDocumented(await send(bytes(key)), status);
});

test.each(AMBIGUOUS_BODIES)('B2: %s gets one %i, and nothing smuggled is answered', async (_what, status, bytes) => {
  await expectDocumented(await send(bytes(key)), status);
});

describe('B2: HEAD', () => {
  it.each([
    ['an operation', '/api/v1/me', '', 200],
    ['an unknown path', '/api/v1/nothing', '', 404],
    ['a POST operation', '/api/v1/programs/x/event-secret', '', 404],
    ['an operation, with a body', '/api/v1/me', 'Content-Length: 9\r\n', 400],
  ])('HEAD of %s has the status of GET, its headers and no body', async (_what, path, more, status) => {
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
