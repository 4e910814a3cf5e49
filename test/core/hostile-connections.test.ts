import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { makeKey, makeMerchant } from '../support/factories.ts';
import { type AppProcess, errorLines, openProcessSystem, type ProcessSystem } from '../support/processes.ts';
import { pause } from '../support/until.ts';

let system: ProcessSystem;
let server: AppProcess;
let port: number;
/** Sent while the other tests run: it takes as long as the server waits for a body. */
let slowBody: Promise<string>;
beforeAll(async () => {
  system = await openProcessSystem();
  server = await system.startApi();
  port = Number(new URL(server.url).port);
  slowBody = sendSlowBody((await makeMerchant(system.runtime)).key);
});
afterAll(() => system.close());

/** Resident memory of the API process in MB. */
const residentMb = async (): Promise<number> => {
  const status = await readFile(`/proc/${server.pid()}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
};

interface Raw {
  socket: Socket;
  /** Resolves with everything received once the connection has ended. */
  ended: Promise<string>;
}

const open = (address: string, options: { read?: boolean } = {}): Promise<Raw> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', localAddress: address }, () => resolve({ socket, ended }));
    const ended = new Promise<string>((done) => {
      socket.on('close', () => done(text));
    });
    if (options.read !== false) socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', () => {});
  });

const post = (key: string, length: number, sent: string): string =>
  `POST /api/v1/programs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${sent}`;

const statusesOf = async (key: string, count: number): Promise<number[]> => {
  const statuses = [];
  for (let n = 0; n < count; n++) {
    const response = await fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  return statuses;
};

const sendSlowBody = async (key: string): Promise<string> => {
  const slow = await open('127.83.0.1');
  slow.socket.write(post(key, 100, '{'));
  const drip = setInterval(() => slow.socket.writable && slow.socket.write(' '), 1_000);
  return slow.ended.finally(() => clearInterval(drip));
};

test('requests of connections that were reset before they were read are dropped, and are no errors', async () => {
  process.kill(server.pid(), 'SIGSTOP');
  try {
    for (const path of Array.from({ length: 10 }, () => ['/api/v1/me', '/api/v1/%zz']).flat()) {
      const { socket } = await open('127.80.9.1');
      await new Promise((written) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, written));
      socket.resetAndDestroy();
    }
  } finally {
    process.kill(server.pid(), 'SIGCONT');
  }
  const { key } = await makeMerchant(system.runtime);
  expect(await statusesOf(key, 1)).toEqual([200]);
  expect(errorLines(await server.log())).toEqual([]);
});

test('H1: a connection that pipelines requests and never reads is closed, and its memory is returned', async () => {
  for (let n = 0; n < 20; n++) await (await fetch(`${server.url}/docs/openapi.json`)).arrayBuffer();
  const before = await residentMb();
  const attackers = await Promise.all([1, 2, 3, 4].map((n) => open(`127.80.0.${n}`, { read: false })));
  for (const { socket } of attackers) socket.write('GET /docs/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
  await Promise.all(attackers.map(({ ended }) => ended));
  expect((await residentMb()) - before).toBeLessThan(50);
});

test('H2: half-sent bodies of five merchants leave another merchant alone', async () => {
  const other = await makeMerchant(system.runtime);
  const merchants = await Promise.all(Array.from({ length: 5 }, () => makeMerchant(system.runtime)));
  const half = await Promise.all(
    Array.from({ length: 260 }, async (_, n) => {
      const raw = await open(`127.81.0.${1 + (n % 250)}`);
      raw.socket.write(post(merchants[n % 5]?.key ?? '', 100, '{"name":'));
      return raw;
    }),
  );
  await pause(200, 'the server has begun to read the bodies');
  expect(new Set(await statusesOf(other.key, 200))).toEqual(new Set([200]));
  for (const { socket } of half) socket.destroy();
});

test('H2: one merchant who sends too much at once is rejected alone', async () => {
  const { merchantId, key } = await makeMerchant(system.runtime);
  const raws = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const raw = await open(`127.82.0.${n + 1}`);
      raw.socket.write(post(key, 1_000_000, '{"name":'));
      await pause(20, 'they arrive one after the other');
      return raw;
    }),
  );
  const rejected = await Promise.all(raws.slice(5).map(({ ended }) => ended));
  for (const text of rejected) expect(text).toMatch(/^HTTP\/1\.1 429 .*OVERLOADED/s);
  const { key: second } = await makeKey(system.runtime, { ownerId: merchantId });
  expect(await statusesOf(second, 1)).toEqual([200]);
  for (const { socket } of raws) socket.destroy();
});

test('H3: a slow body is answered when its time is over, and its connection ends', async () => {
  const text = await slowBody;
  expect(text).toMatch(/^HTTP\/1\.1 400 .*was not received within/s);
});

test('H3: a connection whose request was rejected is closed although its body never comes', async () => {
  const rejected = await open('127.84.0.1');
  rejected.socket.write(post('ak_live_wrong', 100, '{'));
  expect(await rejected.ended).toMatch(/^HTTP\/1\.1 401 /);
});

test('H3: 500 connections that send headers or bodies slowly are ended and take less than 50 MB', async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, async () => (await makeMerchant(system.runtime)).key));
  const before = await residentMb();
  const raws = await Promise.all(Array.from({ length: 500 }, (_, n) => open(`127.85.${n % 2}.${1 + (n % 250)}`)));
  for (const [n, { socket }] of raws.entries()) {
    if (n % 2 === 0) socket.write('GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    else socket.write(post(keys[n % 5] ?? '', 900_000, 'x'.repeat(100_000)));
  }
  const drip = setInterval(() => {
    for (const { socket } of raws) if (socket.writable) socket.write('x');
  }, 2_000);
  await pause(5_000, 'they have sent as much as they may');
  const during = await residentMb();
  await Promise.all(raws.map(({ ended }) => ended));
  clearInterval(drip);
  expect(during - before).toBeLessThan(50);
});

test.each([
  ['two Host headers', 'GET /api/v1/meta HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
  [
    'two Authorization headers',
    'GET /api/v1/meta HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\nConnection: close\r\n\r\n',
  ],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
  [
    'a malformed chunk',
    'POST /api/v1/meta HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n',
  ],
])('H13: %s is 400 with the usual headers', async (_name, text) => {
  const raw = await open(`127.86.0.${1 + Math.floor(Math.random() * 250)}`);
  raw.socket.write(text);
  const received = await raw.ended;
  expect(received).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(received).toMatch(/x-content-type-options: nosniff/i);
  expect(received).toMatch(/x-request-id: /i);
});

test('H13: a client that hangs up in the middle of a body is not logged as an error', async () => {
  const { key } = await makeMerchant(system.runtime);
  const before = (await server.log()).length;
  for (const sent of ['', '{"name":']) {
    const raw = await open('127.87.0.1');
    raw.socket.write(post(key, 100, sent));
    await pause(200, 'the server has begun to read the body');
    raw.socket.resetAndDestroy();
  }
  await pause(300, 'an error would be logged');
  const lines = (await server.log()).slice(before);
  expect(lines).not.toMatch(/"level":"?(50|40|error|warn)/);
  expect(lines).not.toContain('request failed');
});
