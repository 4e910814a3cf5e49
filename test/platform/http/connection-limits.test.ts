import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionLimits, limitConnections } from '../../../src/api/hardening/connection-limits.ts';
import { LIMITS } from '../../../src/api/hardening/limits.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const startServer = async (limits: Partial<ConnectionLimits>): Promise<number> => {
  const server = createServer((_request, response) => void setTimeout(() => response.end('ok'), 100));
  servers.push(server);
  limitConnections(server, { ...LIMITS.connections, max: 100, idleAbove: 100, idleMs: 60_000, ...limits });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const open = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => {});
    socket.resume();
  });

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('B2: connections that send no request give way to new ones, oldest first; requests in progress do not', async () => {
  const port = await startServer({ idleAbove: 10 });
  const busy = await open(port);
  busy.write(GET);
  await sleep(20);
  const idle: Socket[] = [];
  for (let n = 0; n < 12; n++) idle.push(await open(port));
  await sleep(30);
  expect(idle.map((socket) => socket.readableEnded || socket.destroyed)).toEqual(idle.map((_, n) => n < 3));
  expect(busy.destroyed).toBe(false);
  const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) });
  expect(await response.text()).toBe('ok');
});

test('B2: empty lines between requests do not keep a connection open', async () => {
  const port = await startServer({ idleMs: 500 });
  const socket = await open(port);
  const startedAt = performance.now();
  const ended = new Promise((resolve) => void socket.once('close', resolve));
  socket.write(GET);
  const drip = setInterval(() => socket.writable && socket.write('\r\n'), 100);
  await ended;
  clearInterval(drip);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});

test('B2: every response emits close, also those queued behind another when the connection ends', async () => {
  let closed = 0;
  const port = await startServer({});
  servers[0]?.on('request', (_request, response) => response.once('close', () => closed++));
  const socket = await open(port);
  socket.write(GET.repeat(5));
  await sleep(50);
  socket.resetAndDestroy();
  await sleep(200);
  expect(closed).toBe(5);
});
