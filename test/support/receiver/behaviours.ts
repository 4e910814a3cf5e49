import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pause } from '../until.ts';

/** How the receiver responds to a request. `words` are the path segments after the behaviour's name. */
export type Behaviour = (
  socket: Socket,
  words: readonly string[],
  turn: number,
  headers: readonly (readonly [string, string])[],
) => Promise<void> | void;

const REASONS: Readonly<Record<number, string>> = { 200: 'OK', 302: 'Found', 410: 'Gone', 503: 'Service Unavailable' };

const HUGE = 2 * 1024 * 1024;

const respond = (socket: Socket, status: number, headers: readonly string[] = [], body = `status ${status}`): void => {
  const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}`, `content-length: ${Buffer.byteLength(body)}`, ...headers];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
};

/** Writes until the connection is closed. */
const pour = async (socket: Socket, piece: string | Buffer, everyMs: number): Promise<void> => {
  while (!socket.destroyed) {
    const more = socket.write(piece);
    if (everyMs > 0) await pause(everyMs, 'the response drips');
    else if (!more) await Promise.race([new Promise((done) => socket.once('drain', done)), pause(1_000, 'nobody reads')]);
    else await new Promise(setImmediate);
  }
};

/** By the first path segment: `/status/503`, `/sequence/503,200/any-name`. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  status: (socket, [status = '200']) => respond(socket, Number(status)),
  /** One status per request to this path; the last one stays. */
  sequence: (socket, [list = '200'], turn) => {
    const statuses = list.split(',').map(Number);
    respond(socket, statuses[Math.min(turn, statuses.length - 1)] ?? 200);
  },
  'retry-after': (socket, [status = '503', value = '120']) =>
    respond(socket, Number(status), [`Retry-After: ${decodeURIComponent(value)}`]),
  redirect: (socket, [status = '302', to = '']) => respond(socket, Number(status), [`Location: ${decodeURIComponent(to)}`]),
  slow: async (socket, [ms = '100', status = '200']) => {
    await pause(Number(ms), 'the receiver is slow');
    respond(socket, Number(status));
  },
  cookies: (socket) => respond(socket, 200, ['Set-Cookie: session=top-secret', 'X-Twice: a', 'X-Twice: b']),
  /** Repeats what it received, in a header and in the body. */
  echo: (socket, [status = '200'], _turn, headers) => {
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    respond(socket, Number(status), [`X-Request-Id: ${new Map(headers).get('authorization') ?? ''}`], lines.join('\n'));
  },
  silent: () => {},
  'drip-head': async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
    await pour(socket, '.', 50);
  },
  'drip-body': async (socket, [status = '200']) => {
    socket.write(`HTTP/1.1 ${status} Status\r\ncontent-length: 1000000\r\n\r\n`);
    await pour(socket, '.', 50);
  },
  endless: async (socket, [status = '200']) => {
    socket.write(`HTTP/1.1 ${status} Status\r\ntransfer-encoding: chunked\r\n\r\n`);
    await pour(socket, `4000\r\n${'x'.repeat(0x4000)}\r\n`, 0);
  },
  'gzip-bomb': (socket) => {
    const bomb = gzipSync(Buffer.alloc(24 * 1024 * 1024));
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
    socket.end(bomb);
  },
  'huge-header': (socket) => respond(socket, 200, [`X-Huge: ${'h'.repeat(1024 * 1024)}`]),
  'huge-reason': (socket) => void socket.end(`HTTP/1.1 200 ${'x'.repeat(HUGE)}\r\ncontent-length: 0\r\n\r\n`),
  'huge-preamble': (socket) => void socket.end(`${'\r\n'.repeat(HUGE)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
  'huge-extension': (socket) =>
    void socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;${'x'.repeat(HUGE)}\r\nhello\r\n0\r\n\r\n`),
  'reset-before': (socket) => void socket.resetAndDestroy(),
  'reset-after': async (socket, [status = '200']) => {
    socket.write(`HTTP/1.1 ${status} Status\r\ncontent-length: 100\r\n\r\npart`);
    await pause(50, 'the beginning of the response arrives');
    socket.resetAndDestroy();
  },
  'close-before': (socket) => void socket.end(),
  interim: (socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
    respond(socket, 200);
  },
  'interim-flood': (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100), 1),
  switching: (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: raw\r\n\r\n'),
  'wrong-length': (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nshort'),
  'no-content': (socket) => void socket.end('HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\nbody'),
  noise: (socket) => void socket.end('this is no http\n'),
  binary: (socket) => {
    socket.write('HTTP/1.1 500 Broken\r\ncontent-length: 4\r\n\r\n');
    socket.end(Buffer.from([0x00, 0xff, 0x1b, 0x41]));
  },
};
