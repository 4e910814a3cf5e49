import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type ConnectionLimits, limitConnections } from '../../../src/api/hardening/connection-limits.ts';
import { LIMITS } from '../../../src/api/hardening/limits.ts';
import { until } from '../../support/until.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Requests to `/held` get no response. */
const startServer = async (limits: Partial<ConnectionLimits>): Promise<{ port: number; countRequests(): number }> => {
  let requests = 0;
  const server = createServer(({ url }, response) => {
    requests += 1;
    if (url !== '/held') response.end('ok');
  });
  servers.push(server);
  limitConnections(server, { ...LIMITS.connections, max: 100, idleAbove: 100, idleMs: 60_000, ...limits });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, countRequests: () => requests };
};

const open = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => {});
    socket.resume();
  });

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('B2: connections that send no request give way to new ones, oldest first; requests in progress do not', async () => {
  const { port, countRequests } = await startServer({ idleAbove: 10 });
  const busy = await open(port);
  busy.write(get('/held'));
  await until('the request is in progress', countRequests);
  const idle: Socket[] = [];
  for (let n = 0; n < 12; n++) idle.push(await open(port));
  const areEnded = () => idle.map((socket) => socket.readableEnded || socket.destroyed);
  const ended = await until('three connections gave way', areEnded, (each) => each.filter(Boolean).length >= 3);
  expect(ended).toEqual(idle.map((_, n) => n < 3));
  expect(busy.destroyed).toBe(false);
  const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) });
  expect(await response.text()).toBe('ok');
});

test('B2: empty lines between requests do not keep a connection open', async () => {
  const { port } = await startServer({ idleMs: 500 });
  const socket = await open(port);
  socket.write(get('/'));
  const drip = setInterval(() => socket.writable && socket.write('\r\n'), 100);
  const isClosed = await until('the server has closed the connection', () => socket.closed).finally(() => clearInterval(drip));
  expect(isClosed).toBe(true);
});

test('B2: every response emits close, also those queued behind another when the connection ends', async () => {
  let closed = 0;
  const { port, countRequests } = await startServer({});
  servers[0]?.on('request', (_request, response) => response.once('close', () => closed++));
  const socket = await open(port);
  socket.write(get('/held').repeat(5));
  await until('the server has read all requests', countRequests, (count) => count === 5);
  socket.resetAndDestroy();
  expect(
    await until(
      'each response has emitted close',
      () => closed,
      (count) => count >= 5,
    ),
  ).toBe(5);
});
