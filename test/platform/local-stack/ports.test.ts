import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { findFreePort, onFreePort } from '../../../src/local/stack/ports.ts';

const servers: Server[] = [];
async function occupy(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

test('a port in use is replaced by the next free one', async () => {
  const taken = await occupy(0);
  const port = await findFreePort(taken);
  expect(port).toBeGreaterThan(taken);
  expect(port).toBeLessThan(taken + 20);
});

test('a free port is returned as it is, and not twice', async () => {
  const free = await occupy(0);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  expect(await findFreePort(free)).toBe(free);
  expect(await findFreePort(free)).not.toBe(free);
});

test('a port that another process takes before the start is replaced', async () => {
  const tried: number[] = [];
  const started = await onFreePort(0, async (port) => {
    tried.push(port);
    if (tried.length === 1) throw new Error('could not bind: Address already in use');
    return 'started';
  });
  expect(started).toBe('started');
  expect(tried).toHaveLength(2);
});

test('when every port of the range is in use, the error says what to do', async () => {
  const first = 43_210;
  for (let port = first; port < first + 20; port += 1) await occupy(port).catch(() => {});
  await expect(findFreePort(first)).rejects.toThrow(/43210 to 43229 .*all in use.*Stop one/s);
});
