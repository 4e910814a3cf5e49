import Fastify, { type FastifyInstance } from 'fastify';
import { listenOn } from '../../../src/platform/http/listen-on.ts';
import { StartupError } from '../../../src/platform/startup-error.ts';

const servers: FastifyInstance[] = [];
const server = (): FastifyInstance => {
  const app = Fastify();
  servers.push(app);
  return app;
};
afterEach(async () => {
  for (const app of servers.splice(0)) await app.close();
});

test('a server listens, and its URL is returned', async () => {
  const url = await listenOn(server(), { host: '127.0.0.1', port: 0 }, 'API_PORT');
  expect((await fetch(url)).status).toBe(404);
});

test('a port in use is one sentence that names the setting and what to do', async () => {
  const url = await listenOn(server(), { host: '127.0.0.1', port: 0 }, 'API_PORT');
  const port = Number(new URL(url).port);
  const error = await listenOn(server(), { host: '127.0.0.1', port }, 'METRICS_PORT').catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(StartupError);
  expect((error as StartupError).message).toBe(
    `METRICS_PORT: port ${port} of 127.0.0.1 is in use: stop the program that listens there (ss -ltnp lists it), or set another port (EADDRINUSE).`,
  );
});

test('a host of another machine is one sentence', async () => {
  const listening = listenOn(server(), { host: '192.0.2.1', port: 0 }, 'API_PORT');
  await expect(listening).rejects.toThrow(
    'API_PORT: port 0 of 192.0.2.1 is not on this machine: correct the host (EADDRNOTAVAIL).',
  );
});

test.each([
  ['EACCES', 'API_PORT: port 80 of 0.0.0.0 is closed to this user: set a port of 1024 or above (EACCES).'],
  ['ENOTFOUND', 'API_PORT: port 80 of 0.0.0.0 cannot be listened on: correct host and port (ENOTFOUND).'],
])('%s, which depends on rights and names, is one sentence', async (code, expected) => {
  const refused = { listen: () => Promise.reject(Object.assign(new Error('listen'), { code })) };
  await expect(listenOn(refused, { host: '0.0.0.0', port: 80 }, 'API_PORT')).rejects.toThrow(expected);
});

test('an error of the program itself stays as it is', async () => {
  const bug = new TypeError('reply is not a function');
  await expect(listenOn({ listen: () => Promise.reject(bug) }, { host: '127.0.0.1', port: 0 }, 'API_PORT')).rejects.toBe(bug);
});
