import { connect, type Socket } from 'node:net';
import pMap from 'p-map';
import { ERRORS } from '../../src/contracts/error-codes.ts';
import { anyAddress } from '../support/api.ts';
import { makeMerchant } from '../support/factories.ts';
import {
  AMBIGUOUS_BODIES,
  MALFORMED_BODIES,
  MALFORMED_HEADS,
  MALFORMED_TARGETS,
  type Malformed,
} from '../support/malformed-requests.ts';
import { errorLines, openProcessSystem, type ProcessSystem } from '../support/processes.ts';
import { parseResponses, requestText, sendRaw } from '../support/raw-http.ts';

/** B2: all of them at the same time. test/api/pipeline has the response to each. */
const SLOW_CONNECTIONS = 40;

let system: ProcessSystem;
beforeAll(async () => {
  system = await openProcessSystem();
});
afterAll(() => system.close());

const withKey = (key: string, more = {}) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more });
const create = (key: string, headers: Record<string, string | number>, body: string): string =>
  requestText('POST /api/v1/programs', withKey(key, headers), body);

/** Their sender hangs up or never reads: not all of them get a response. */
const UNFINISHED: Malformed[] = [
  ['half a head', 400, (key) => create(key, {}, '').slice(0, 60)],
  ['half a body', 400, (key) => create(key, { 'Content-Length': 500 }, '{"name":')],
  ['half a chunk', 400, (key) => create(key, { 'Transfer-Encoding': 'chunked' }, '64\r\n{"name":')],
  ['a body of 2 MB', 400, (key) => create(key, { 'Content-Length': 2_000_000 }, 'x'.repeat(2_000_000))],
  ['chunks of 2 MB', 400, (key) => create(key, { 'Transfer-Encoding': 'chunked' }, `1e8480\r\n${'x'.repeat(2_000_000)}`)],
  ['200 pipelined requests', 400, (key) => requestText('GET /api/v1/me', withKey(key, { Connection: 'keep-alive' })).repeat(200)],
];

const openSlow = (port: number, text: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: anyAddress() }, () => resolve(socket));
    socket.on('error', () => {});
    socket.resume();
    socket.write(text);
  });

/** Creates programs and reads them until it is stopped; returns all statuses. */
const useNormally = (url: string, key: string): { stop(): Promise<number[]> } => {
  const statuses: number[] = [];
  let isStopped = false;
  const send = async (method: string, path: string, body?: string): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    await response.arrayBuffer();
    statuses.push(response.status);
  };
  const running = (async () => {
    while (!isStopped) {
      await send('POST', '/programs', JSON.stringify({ name: 'A', commissionType: 'recurring', commissionPercent: 20 }));
      await send('GET', '/programs');
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      return statuses;
    },
  };
};

test('B2: malformed, endless and abandoned requests are rejected, and other merchants are served as always', async () => {
  const server = await system.startApi();
  const port = Number(new URL(server.url).port);
  const [{ key }, other] = [await makeMerchant(system.runtime), await makeMerchant(system.runtime)];
  const slow = await Promise.all(
    Array.from({ length: SLOW_CONNECTIONS }, (_, n) =>
      openSlow(
        port,
        n % 2 === 0 ? 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: ' : create(key, { 'Content-Length': 100 }, '{'),
      ),
    ),
  );
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write(' ');
  }, 500);
  const normal = useNormally(server.url, other.key);
  const malformed = [...MALFORMED_BODIES, ...MALFORMED_TARGETS, ...MALFORMED_HEADS, ...AMBIGUOUS_BODIES];
  await pMap(
    [...malformed, ...malformed, ...UNFINISHED, ...UNFINISHED],
    async ([what, , bytes], n) => {
      const isUnfinished = UNFINISHED.some(([name]) => name === what);
      const received = await sendRaw(port, bytes(key), isUnfinished ? { hangUpAfterMs: 20 + n } : {});
      if (isUnfinished) return;
      for (const { status, body } of parseResponses(received)) {
        expect({ what, status, known: body.error.code in ERRORS }).toEqual({ what, status: expect.any(Number), known: true });
        expect({ what, status: Math.floor(status / 100) }).toEqual({ what, status: 4 });
      }
    },
    { concurrency: 16 },
  );
  clearInterval(drip);
  for (const socket of slow) socket.destroy();
  const statuses = await normal.stop();
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200, 201]));
  expect(server.isRunning()).toBe(true);
  expect(errorLines(await server.log())).toEqual([]);
});
