import { type AddressInfo, connect } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { limitTransfers } from '../../../src/api/hardening/load-shedding.ts';

let app: FastifyInstance;
afterEach(() => app.close());

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
    enter('127.0.0.1', reply);
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
