import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { LIMITS } from '../../../src/api/hardening/limits.ts';
import { limitTransfers } from '../../../src/api/hardening/transfers.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { pause, until } from '../../support/until.ts';

let app: FastifyInstance;
afterEach(() => app.close());

/** Sockets of the server by the port of their client: a client that does not read does not notice that its connection was closed. */
const serverSockets = new Map<number | undefined, Socket>();

test('B2: transfers whose clients hang up before they are counted do not stay in progress', async () => {
  const enter = limitTransfers();
  const waiting: (() => void)[] = [];
  const closed: Promise<unknown>[] = [];
  app = Fastify();
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.url === '/later') {
      closed.push(new Promise((resolve) => void request.raw.socket.once('close', resolve)));
      await new Promise<void>((resolve) => void waiting.push(resolve));
    }
    enter(reply, { direction: 'download', merchantId: 'm', token: request.url, address: '127.0.0.1' });
  };
  app.get('/:when', { onRequest }, async () => 'ok');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const received = new Promise<void>((resolve) => {
    app.server.on('request', () => setImmediate(() => waiting.length === 8 && resolve()));
  });
  const sockets = Array.from({ length: 8 }, () => connect({ port, host: '127.0.0.1' }));
  for (const socket of sockets) socket.on('error', () => {}).write('GET /later HTTP/1.1\r\nHost: x\r\n\r\n');
  await received;
  for (const socket of sockets) socket.resetAndDestroy();
  await Promise.all(closed);
  for (const letIn of waiting) letIn();
  expect((await fetch(`${url}/now`)).status).toBe(200);
});

/** Uploads that were let in. */
let uploads = 0;
const untilUploads = (count: number) =>
  until(
    `${count} uploads were let in`,
    () => uploads,
    (seen) => seen >= count,
  );

const FAST = { ...LIMITS.transfers, max: 3, ofMerchant: 2, ofToken: 1, progressMs: 400, recentMs: 100, checkEveryMs: 50 };

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(65_536);
}

/** A server of endless downloads, whose path names merchant and token, and of uploads. */
const serve = async (limits: typeof FAST): Promise<number> => {
  uploads = 0;
  const enter = limitTransfers(limits);
  app = Fastify({ forceCloseConnections: true });
  app.setErrorHandler((error, _request, reply) => void reply.code(error instanceof AppError ? 429 : 500).send());
  app.server.on('connection', (socket) => void serverSockets.set(socket.remotePort, socket));
  app.addContentTypeParser('*', (_request, body, parsed) => parsed(null, body));
  app.get<{ Params: { merchantId: string; token: string } }>('/:merchantId/:token', async (request, reply) => {
    enter(reply, { direction: 'download', ...request.params, address: crypto.randomUUID() });
    return reply.send(Readable.from(endless(), { objectMode: false }));
  });
  app.put('/file', async ({ raw }, reply) => {
    enter(reply, { direction: 'upload', merchantId: 'm', token: crypto.randomUUID(), address: crypto.randomUUID() });
    uploads += 1;
    for await (const _chunk of raw);
    return 'received';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
};

interface Client {
  /** Status of the response; 0 when the connection ended without one. */
  status: Promise<number>;
  isOpen(): boolean;
  close(): void;
}

const request = (port: number, start: string, { reads = false } = {}): Client => {
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(`${start} HTTP/1.1\r\nHost: x\r\n\r\n`));
  socket.on('error', () => {});
  const status = new Promise<number>((resolve) => {
    socket.once('data', (data) => {
      resolve(Number(data.toString().split(' ')[1]));
      if (!reads) socket.pause();
    });
    socket.once('close', () => resolve(0));
  });
  return {
    status,
    isOpen: () => serverSockets.get(socket.localPort)?.destroyed === false,
    close: () => void socket.destroy(),
  };
};

const untilEnded = (client: Client) => until('the server has ended the transfer', () => !client.isOpen());

const download = (port: number, path: string, reads = false): Client => request(port, `GET ${path}`, { reads });

test('SE3: a download that nobody reads is ended', async () => {
  const port = await serve(FAST);
  const [read, unread] = [download(port, '/a/1', true), download(port, '/a/2')];
  expect(await Promise.all([read.status, unread.status])).toEqual([200, 200]);
  await untilEnded(unread);
  expect(read.isOpen()).toBe(true);
  read.close();
});

test('SE3: an upload whose sender stops is ended', async () => {
  const port = await serve(FAST);
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write('PUT /file HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 1000000\r\n\r\nbegin');
  await new Promise((resolve) => void socket.once('close', resolve));
  expect((await fetch(`http://127.0.0.1:${port}/file`, { method: 'PUT', body: 'all' })).status).toBe(200);
});

test('SE3: a merchant and a token have some of the slots only, and fast transfers keep them', async () => {
  const port = await serve(FAST);
  const first = download(port, '/a/1', true);
  expect(await first.status).toBe(200);
  expect(await download(port, '/a/1', true).status).toBe(429);
  const second = download(port, '/a/2', true);
  expect(await second.status).toBe(200);
  await pause(3 * FAST.recentMs, 'their recent speed is known');
  expect(await download(port, '/a/3', true).status).toBe(429);
  const other = download(port, '/b/4', true);
  expect(await other.status).toBe(200);
  expect([first, second, other].map((client) => client.isOpen())).toEqual([true, true, true]);
  for (const client of [first, second, other]) client.close();
});

/** Sends a body of unknown length, so many bytes each 25 ms. */
const upload = (port: number, bytes: number): Client => {
  const head = 'PUT /file HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(head));
  const timer = setInterval(() => socket.write(chunk), 25);
  socket.on('error', () => {}).resume();
  const status = new Promise<number>((resolve) => {
    socket.once('data', (data) => resolve(Number(data.toString().split(' ')[1])));
    socket.once('close', () => {
      clearInterval(timer);
      resolve(0);
    });
  });
  return {
    status,
    isOpen: () => serverSockets.get(socket.localPort)?.destroyed === false,
    close: () => void socket.destroy(),
  };
};

test('SE3: slow transfers of several addresses do not hold the share of a merchant, and fast ones keep their place', async () => {
  // Long enough for a client that shares its process with the server and a processor with other tests.
  const port = await serve({ ...FAST, progressMs: 2_000, recentMs: 2_000 });
  const send = async () => (await fetch(`http://127.0.0.1:${port}/file`, { method: 'PUT', body: 'all' })).status;
  // 4 MB and 200 kB a second.
  const [fast, slow] = [upload(port, 100_000), upload(port, 5_000)];
  await untilUploads(2);
  expect(await send()).toBe(429);
  await pause(2_500, 'their recent speed is known');
  expect(slow.isOpen()).toBe(true);
  expect(await send()).toBe(200);
  await untilEnded(slow);
  expect(fast.isOpen()).toBe(true);
  const second = upload(port, 100_000);
  await untilUploads(4);
  await pause(2_500, 'their recent speed is known');
  expect(await send()).toBe(429);
  expect([fast, second].map((client) => client.isOpen())).toEqual([true, true]);
  for (const client of [fast, second]) client.close();
});

test('SE3: when all slots are taken, the slowest transfer makes space for another', async () => {
  const port = await serve({ ...FAST, progressMs: 60_000 });
  const fast = [download(port, '/a/1', true), download(port, '/b/2', true)];
  const slow = download(port, '/c/3');
  expect(await Promise.all([...fast, slow].map(({ status }) => status))).toEqual([200, 200, 200]);
  await pause(1_000, 'the buffers of the system are full, and nothing of it was sent recently');
  const another = download(port, '/d/4', true);
  expect(await another.status).toBe(200);
  await untilEnded(slow);
  expect(fast.map((client) => client.isOpen())).toEqual([true, true]);
  for (const client of [...fast, another]) client.close();
});

test('SE3: downloads take no slots of uploads', async () => {
  const port = await serve({ ...FAST, max: 1 });
  const only = download(port, '/a/1', true);
  expect(await only.status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/file`, { method: 'PUT', body: 'all' })).status).toBe(200);
  only.close();
});
