import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { findFreePort, findPortProblem, onChosenPorts, onFreePort } from '../../../src/local/stack/ports.ts';

const servers: Server[] = [];
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}
const occupy = async (port: number): Promise<number> => portOf(await listen(port));
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

test('a port that another process takes between choosing and listening is replaced', async () => {
  const tried: number[] = [];
  const server = await onFreePort(0, async (port) => {
    tried.push(port);
    if (tried.length === 1) await occupy(port);
    return listen(port);
  });
  expect(tried).toHaveLength(2);
  expect(portOf(server)).toBe(tried[1]);
});

test('ports that were taken when they were chosen are chosen again', async () => {
  const taken = await occupy(0);
  const choices = [taken, taken, taken, taken, 0];
  const server = await onChosenPorts(async () => choices.shift() ?? taken, listen);
  expect(portOf(server)).not.toBe(taken);
});

test('when others are faster each time, the error is one line that says what to do', async () => {
  const tried: number[] = [];
  const start = onFreePort(0, async (port) => {
    tried.push(port);
    await occupy(port);
    return listen(port);
  });
  await expect(start).rejects.toThrow(
    /^Other programs took free ports .+ 5 times in a row\. Stop what opens ports there .+ again\.$/,
  );
  expect(new Set(tried).size).toBe(5);
});

test('another error, and an exact port that is taken, end the start at once', async () => {
  let starts = 0;
  const fail = onFreePort(0, async () => {
    starts += 1;
    throw new Error('no space left on device');
  });
  await expect(fail).rejects.toThrow('no space left');
  expect(starts).toBe(1);
  const taken = await occupy(0);
  await expect(onFreePort(taken, listen, true)).rejects.toThrow('EADDRINUSE');
});

test('why a port cannot be used is told by the code of the operating system', async () => {
  const taken = await occupy(0);
  expect(await findPortProblem(taken)).toBe('EADDRINUSE');
  await new Promise((resolve) => servers.pop()?.close(resolve));
  expect(await findPortProblem(taken)).toBeNull();
});

test('when every port of the range is in use, the error says what to do', async () => {
  const first = 43_210;
  for (let port = first; port < first + 20; port += 1) await occupy(port).catch(() => {});
  await expect(findFreePort(first)).rejects.toThrow(/43210 to 43229 .*all in use.*Stop one/s);
});
