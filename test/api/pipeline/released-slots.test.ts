import { type AddressInfo, connect, type Socket } from 'node:net';
import { generateSigningSecret } from '../../../src/platform/crypto/standard-webhooks.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeMerchant, signedHeaders } from '../../support/factories.ts';
import { parseResponse, requestText, sendRaw } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';

const api = useOwnApi();
let port: number;
beforeAll(async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = api.app.server.address() as AddressInfo);
});

const withKey = (key: string, more = {}) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more });
const statusOf = async (start: string, headers: Record<string, string | number>, body = ''): Promise<number> =>
  parseResponse(await sendRaw(port, requestText(start, headers, body))).status;

/** Requests whose sender is gone are dropped shortly after, not at once. */
const untilStatus = (expected: number, send: () => Promise<number>) =>
  until(`a request is answered with ${expected}`, send, (status) => status === expected);

const open = (from: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => resolve(socket));
    socket.on('error', () => {});
    socket.resume();
  });

test('B2: malformed chunks do not use up the bodies that their sender may send', async () => {
  const { key } = await makeMerchant(api.runtime);
  const text = requestText('POST /api/v1/programs', withKey(key, { 'Transfer-Encoding': 'chunked' }), 'zz\r\n');
  for (let time = 0; time < 6; time++) expect(parseResponse(await sendRaw(port, text)).status).toBe(400);
  expect(await statusOf('POST /api/v1/programs', withKey(key, { 'Content-Length': 2 }), '{}')).toBe(422);
});

test('B2: pipelined requests whose sender hangs up do not stay in flight', async () => {
  const { key } = await makeMerchant(api.runtime);
  const pipeline = requestText('GET /api/v1/payouts', withKey(key, { Connection: 'keep-alive' })).repeat(16);
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 4 }, (_, at) => sendRaw(port, pipeline, { hangUpAfterMs: 4 + round + at })));
  }
  await untilStatus(200, () => statusOf('GET /api/v1/me', withKey(key)));
  const { key: other } = await makeMerchant(api.runtime);
  expect(await statusOf('GET /api/v1/me', withKey(other))).toBe(200);
});

test('B2: senders of slow bodies from many addresses, without a key, give way to everybody else', async () => {
  const { key } = await makeMerchant(api.runtime);
  const signed = signedHeaders(generateSigningSecret(), '{}');
  const slow = requestText('POST /api/integrations/rails/sandbox', { ...signed, 'Transfer-Encoding': 'chunked' }, '1\r\n{\r\n');
  const attackers: Socket[] = [];
  for (let address = 0; address < 12; address++) {
    const from = anyAddress();
    for (let n = 0; n < 4; n++) attackers.push(await open(from));
  }
  let begun = 0;
  const count = () => begun++;
  api.app.server.on('request', count);
  for (const socket of attackers) socket.write(slow);
  await until('the server reads every body', () => begun === attackers.length);
  api.app.server.off('request', count);
  expect(await statusOf('POST /api/v1/programs', withKey(key, { 'Content-Length': 2 }), '{}')).toBe(422);
  expect(await statusOf('POST /api/integrations/rails/none', { ...signed, 'Content-Length': 2 }, '{}')).toBe(404);
  for (const socket of attackers) socket.destroy();
});

test('B2: bodies whose sender hangs up while its key is looked up may be sent again at once', async () => {
  const { key } = await makeMerchant(api.runtime);
  const text = requestText('POST /api/v1/programs', withKey(key, { 'Content-Length': 65_536 }));
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 4 }, (_, at) => sendRaw(port, text, { hangUpAfterMs: 1 + at })));
  }
  const send = () => statusOf('POST /api/v1/programs', withKey(key, { 'Content-Length': 65_536 }), '{}'.padStart(65_536));
  expect(await untilStatus(422, send)).toBe(422);
});

test('B2: requests followed by garbage do not stay in flight', async () => {
  const { key } = await makeMerchant(api.runtime);
  const text = `${requestText('GET /api/v1/me', withKey(key, { Connection: 'keep-alive' }))}GARBAGE\r\n\r\n`;
  for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 12 }, () => sendRaw(port, text)));
  expect(await statusOf('GET /api/v1/me', withKey(key))).toBe(200);
});
