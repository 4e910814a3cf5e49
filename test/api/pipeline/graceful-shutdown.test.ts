import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import fastify from 'fastify';
import { installGracefulShutdown } from '../../../src/api/pipeline/graceful-shutdown.ts';
import { SLOW_DATABASE } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { createTestDatabase } from '../../support/stack/database.ts';
import { pause } from '../../support/until.ts';
import { openAnotherApi } from './another-api.ts';

it('during graceful shutdown a process still responds, reports that it is not ready, and then accepts no connections', async () => {
  const database = await createTestDatabase();
  const { app, runtime, close } = await openAnotherApi(database.url, { env: SLOW_DATABASE });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const { key } = await makeMerchant(runtime);
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(async (response) => ({
      status: response.status,
      connection: response.headers.get('connection'),
      body: await response.json(),
    }));
  expect(await ask('/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect(await ask('/api/v1/me')).toMatchObject({ status: 200, connection: 'keep-alive' });
  const idle = connect({ port, host: '127.0.0.1' });
  await once(idle, 'connect');
  const idleEnded = once(idle, 'close');

  const closed = close();
  expect(await ask('/health/ready')).toMatchObject({ status: 503, connection: 'close', body: { status: 'stopping' } });
  expect(await ask('/api/v1/me')).toMatchObject({ status: 200, connection: 'close' });
  await closed;
  await idleEnded;
  await expect(ask('/api/v1/me')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  await database.drop();
});

it('connections that wait to be accepted at the end of a shutdown are answered', async () => {
  const CLIENTS = 20;
  const app = fastify({ return503OnClosing: false });
  installGracefulShutdown(app);
  app.get('/', async () => 'answered');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const clients = new Worker(
    `const { get } = require('node:http');
     const { parentPort, workerData: { port, count } } = require('node:worker_threads');
     const ask = () => new Promise((resolve) => get({ port, host: '127.0.0.1', agent: false }, (response) => resolve(response.statusCode)).on('error', ({ code }) => resolve(code)));
     parentPort.on('message', async () => parentPort.postMessage(await Promise.all(Array.from({ length: count }, ask))));`,
    { eval: true, workerData: { port, count: CLIENTS } },
  );
  await once(clients, 'online');
  const closed = app.close();
  await pause(400, 'the event loop is busy when the time to drain ends, while others connect');
  const answers = once(clients, 'message');
  clients.postMessage('connect');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  expect(await answers).toEqual([Array(CLIENTS).fill(200)]);
  await closed;
  await clients.terminate();
});
