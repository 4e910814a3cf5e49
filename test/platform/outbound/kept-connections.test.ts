import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { readPolicy } from '../../../src/platform/outbound/policy.ts';
import { pause } from '../../support/until.ts';

const policy = readPolicy({ allowedPrivate: ['127.0.0.1:*'], denied: [], publicUrl: 'https://tributary.example.com' });

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

/** Counts the connections to a server that answers the first request of each, and then does what the test says. */
const startServer = async (second: (destroy: () => void) => void) => {
  const requests = new Map<object, number>();
  const server = createServer((request, response) => {
    const count = (requests.get(request.socket) ?? 0) + 1;
    requests.set(request.socket, count);
    request.resume();
    if (count === 1) response.end();
    else second(() => request.socket.destroy());
  });
  const url = await listen(server);
  return { url, connections: () => requests.size, close: () => server.closeAllConnections() ?? server.close() };
};

const message = (url: string, connectionKey?: string) => ({
  url,
  headers: {},
  body: Buffer.from('{}'),
  ...(connectionKey === undefined ? {} : { connectionKey }),
});

test('messages of one key share a connection, those of another key and those without one do not', async () => {
  const server = await startServer(() => {});
  const outbound = createOutbound({ policy, userAgent: 'test', totalTimeoutMs: 300 });
  await outbound.post(message(server.url, 'one'));
  expect((await outbound.post(message(server.url, 'two'))).response?.status).toBe(200);
  expect((await outbound.post(message(server.url))).response?.status).toBe(200);
  expect(server.connections()).toBe(3);
  // The second request of a connection gets no response here.
  expect(await outbound.post(message(server.url, 'one'))).toMatchObject({ error: 'timeout_headers' });
  expect(server.connections()).toBe(3);
  outbound.close();
  server.close();
});

test('a kept connection that the server closes before it responds is replaced once', async () => {
  const server = await startServer((destroy) => destroy());
  const outbound = createOutbound({ policy, userAgent: 'test' });
  await outbound.post(message(server.url, 'one'));
  expect(await outbound.post(message(server.url, 'one'))).toMatchObject({ error: null, response: { status: 200 } });
  expect(server.connections()).toBe(2);
  outbound.close();
  server.close();
});

test('a connection that is closed late is not replaced: the receiver may be working on the message', async () => {
  const server = await startServer((destroy) => void pause(1_200, 'the receiver may have begun to work').then(destroy));
  const outbound = createOutbound({ policy, userAgent: 'test', totalTimeoutMs: 3_000 });
  await outbound.post(message(server.url, 'one'));
  expect(await outbound.post(message(server.url, 'one'))).toMatchObject({ error: 'reset', response: null });
  expect(server.connections()).toBe(1);
  outbound.close();
  server.close();
});
