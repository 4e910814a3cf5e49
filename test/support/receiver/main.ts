import { createServer as createControl } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { BEHAVIOURS } from './behaviours.ts';
import { CERTIFICATES } from './certificates.ts';
import type { ReceivedRequest } from './receiver.ts';

/** The webhook receiver's process. It writes to raw sockets, so that it can violate HTTP. */
const received: ReceivedRequest[] = [];
let connections = 0;

const headEnd = (bytes: Buffer): number => bytes.indexOf('\r\n\r\n');

const parse = (bytes: Buffer): ReceivedRequest | null => {
  const end = headEnd(bytes);
  if (end < 0) return null;
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', path = ''] = start.split(' ');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const length = Number(headers.find(([name]) => name === 'content-length')?.[1] ?? 0);
  const body = bytes.subarray(end + 4);
  if (body.length < length) return null;
  return { method, path, headers, body: body.toString('base64'), at: Date.now() };
};

const serve = (socket: Socket): void => {
  connections += 1;
  let bytes = Buffer.alloc(0);
  let done = false;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (done) return;
    bytes = Buffer.concat([bytes, chunk]);
    // Stops reading, so that the sender's buffers fill.
    if (bytes.toString('latin1', 0, 64).includes(' /deaf')) return void socket.pause();
    const request = parse(bytes);
    if (!request) return;
    done = true;
    const turn = received.filter((earlier) => earlier.path === request.path).length;
    received.push(request);
    const [name = '', ...words] = request.path.slice(1).split('?')[0]?.split('/') ?? [];
    const behaviour = BEHAVIOURS[name] ?? BEHAVIOURS['status'];
    Promise.resolve(behaviour?.(socket, words, turn, request.headers)).catch(() => socket.destroy());
  });
};

const listen = (server: { listen(port: number, host: string, done: () => void): unknown; address(): unknown }) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const tls = (name: keyof typeof CERTIFICATES, more: object = {}) =>
  listen(createTlsServer({ ...CERTIFICATES[name], ...more }, serve).on('tlsClientError', () => {}));

const control = createControl((request, response) => {
  const url = new URL(request.url ?? '/', 'http://control');
  const prefix = url.searchParams.get('path') ?? '';
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ connections, received: received.filter((one) => one.path.startsWith(prefix)) }));
});

const ports = {
  control: await listen(control),
  plain: await listen(createServer(serve)),
  good: await tls('good'),
  expired: await tls('expired'),
  other: await tls('other'),
  self: await tls('self'),
  old: await tls('good', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
  /** Accepts the connection and never starts TLS. */
  mute: await listen(createServer((socket) => void socket.on('error', () => {}))),
};
process.stdout.write(`${JSON.stringify(ports)}\n`);
// The pipe closes when the test process exits.
process.stdin.resume().on('end', () => process.exit(0));
