import type { AddressInfo } from 'node:net';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { parseResponse as parse, type RawOptions, requestText as request, sendRaw } from '../../support/raw-http.ts';

const api = useOwnApi();
let port: number;
let key: string;
beforeAll(async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = api.app.server.address() as AddressInfo);
  ({ key } = await makeMerchant(api.runtime));
});

const send = (text: string, options: RawOptions = {}): Promise<string> => sendRaw(port, text, options);
const withKey = () => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });

const goesOn = async () => expect(parse(await send(request('GET /api/v1/me', withKey()))).status).toBe(200);

describe('an invalid HTTP request gets an error of the specification or a closed connection', () => {
  it.each([
    ['garbage', 'FOO BAR\r\n\r\n'],
    ['a header line without a name', 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['headers of 20 kB', request('GET /api/v1/me', { Authorization: 'x'.repeat(20_000) })],
    ['a length that is no number', request('POST /api/v1/programs', { ...withKey(), 'Content-Length': 'abc' }, '{}')],
    ['two lengths', 'POST /api/v1/programs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length and chunks', request('POST /api/v1/programs', { 'Content-Length': 2, 'Transfer-Encoding': 'chunked' }, '{}')],
    ['a null byte in a header', request('GET /api/v1/me', { 'X-Y': 'a\0b' })],
  ])('%s', async (_name, text) => {
    const { status, headers, body } = parse(await send(text));
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST', message: expect.any(String) } },
    });
    expect(body.meta.requestId).toBe(headers['x-request-id']);
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
    });
    expect(headers['retry-after']).toBeUndefined();
    await goesOn();
  });

  it('an unknown transfer coding', async () => {
    const answer = parse(await send(request('POST /api/v1/programs', { 'Transfer-Encoding': 'gzip, x' }, '{}')));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST' } } });
    await goesOn();
  });

  it('counts against the limit: the eleventh from one address is 429 with Retry-After', async () => {
    const from = '127.91.0.1';
    const statuses = [];
    for (let time = 0; time < 11; time++) statuses.push(parse(await send('FOO BAR\r\n\r\n', { from })));
    expect(statuses.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
    expect(statuses.at(-1)).toMatchObject({
      headers: { 'retry-after': expect.stringMatching(/^[1-9]/) },
      body: { error: { code: 'RATE_LIMITED' } },
    });
  });

  it.each([
    ['no Host header', 'GET /api/v1/me HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an expectation nobody knows', request('GET /api/v1/meta', { Expect: 'wonders' }), 200],
    [
      'an upgrade nobody offers',
      'GET /api/v1/meta HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
    ['a method of other protocols', request('PROPFIND /api/v1/me', {}), 404],
    ['OPTIONS', request('OPTIONS /api/v1/me', {}), 404],
    ['TRACE', request('TRACE /api/v1/me', {}), 404],
  ])('%s', async (_name, text, status) => {
    const response = parse(await send(text));
    expect(response).toMatchObject({ status, headers: { 'x-ratelimit-limit': '10', 'x-request-id': expect.any(String) } });
    expect(response.body).toMatchObject(status === 200 ? { data: {} } : { error: {} });
  });
});

describe('a request target with scheme and host', () => {
  it.each(['http://x/api/v1', 'https://anywhere.example/api/v1'])('%s… requires the same access', async (base) => {
    expect(parse(await send(request(`GET ${base}/me`)))).toMatchObject({ status: 401, headers: { 'x-ratelimit-limit': '10' } });
    expect(parse(await send(request(`GET ${base}/me`, withKey()))).status).toBe(200);
  });
});

describe('bodies', () => {
  const body = '{"name":"A"}';

  it('an incomplete body is not processed', async () => {
    await send(request('POST /api/v1/programs', { ...withKey(), 'Content-Length': 500 }, body), { hangUpAfterMs: 100 });
    await goesOn();
  });

  it('a chunked body over 1 MiB is 400 BODY_TOO_LARGE', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const text = request(
      'POST /api/v1/programs',
      { ...withKey(), 'Transfer-Encoding': 'chunked' },
      `${chunk.repeat(17)}0\r\n\r\n`,
    );
    expect(parse(await send(text))).toMatchObject({ status: 400, body: { error: { details: { reason: 'BODY_TOO_LARGE' } } } });
    await goesOn();
  });

  it('a GET with a body is rejected, and the next request on the connection is parsed correctly', async () => {
    const first = request('GET /api/v1/me', { ...withKey(), Connection: 'keep-alive', 'Content-Length': body.length }, body);
    const [one = '', two = ''] = (await send(first + request('GET /api/v1/meta'))).split(/(?=HTTP\/1\.1 )/);
    expect(parse(one)).toMatchObject({ status: 400, body: { error: { details: { reason: 'BODY_NOT_ALLOWED' } } } });
    expect(parse(two)).toMatchObject({ status: 200, body: { data: { name: 'Tributary' } } });
  });

  it('pipelined requests get their responses in order', async () => {
    const keepAlive = { ...withKey(), Connection: 'keep-alive' };
    const text = request('GET /api/v1/me', keepAlive) + request('GET /api/v1/nothing', keepAlive) + request('GET /api/v1/meta');
    const responses = (await send(text)).split(/(?=HTTP\/1\.1 )/).map((response) => parse(response).status);
    expect(responses).toEqual([200, 404, 200]);
  });

  it('a client that sends too slowly is disconnected', () => {
    // Bodies have deadlines of their own; this one is for uploads of files.
    expect(api.app.server.requestTimeout).toBeLessThanOrEqual(601_000);
    expect(api.app.server.headersTimeout).toBeLessThanOrEqual(20_000);
  });
});

test('disconnecting clients do not exhaust the server', async () => {
  const text = request('GET /api/v1/payouts', { ...withKey(), Connection: 'keep-alive' });
  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => send(text, { hangUpAfterMs: (round + at) % 12 })));
  }
  // The requests are still being processed, so the response may take longer.
  let response = '';
  for (let time = 0; time < 20 && response === ''; time++) response = await send(request('GET /api/v1/me', withKey()));
  expect(parse(response).status).toBe(200);
});
