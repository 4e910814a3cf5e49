import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ANONYMOUS_PER_MINUTE } from '../../contracts/limits.ts';
import { AppError } from '../../platform/errors.ts';
import { addressBucket } from '../../platform/http/address-bucket.ts';
import { errorText, JSON_TYPE, statusOf } from '../../platform/http/envelope.ts';
import type { Ids } from '../../platform/ids.ts';
import { decideByAddress } from '../../platform/redis/address-limit.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import { rateHeaders, rateLimited } from './caller.ts';
import { errorPage, isRead } from './error-page.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const MALFORMED = new AppError('BAD_REQUEST', 'The HTTP request is malformed', {
  issues: [{ path: 'request', code: 'invalid', message: 'is malformed' }],
});

const REASON_PHRASES: Record<number, string> = { 400: 'Bad Request', 429: 'Too Many Requests' };

/** Bytes that are no request may still begin as one of a browser. */
const isFromBrowser = (bytes: unknown): boolean => {
  const [start = '', ...fields] = (Buffer.isBuffer(bytes) ? bytes.toString('latin1') : '').split('\r\n');
  return fields.some((field) => /^accept:/i.test(field) && isRead({ url: start.split(' ')[1] ?? '', accept: field }));
};

/** The response that Node has assigned to a connection; not part of its documented interface. */
interface ServerSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/**
 * Requests that the HTTP parser rejects never reach Fastify: they are counted and answered here, after the requests before
 * them on the connection. Whoever sends garbage after a payment still learns what became of the payment.
 */
export const handleClientError = (limiter: RateLimiter, ids: Ids) => {
  const failed = new WeakSet<Socket>();

  const answer = (socket: ServerSocket, received: unknown): void => {
    const response = socket._httpMessage;
    if (response?.req.complete && socket.writable) return void response.once('finish', () => answer(socket, received));
    // Part of a response has been sent: a second one would corrupt it.
    if (!socket.writable || response?.headersSent) return void socket.destroy();
    const write = async (): Promise<void> => {
      const address = addressBucket(socket.remoteAddress ?? '');
      const rate = await decideByAddress(limiter, { group: 'a', address, limit: ANONYMOUS_PER_MINUTE });
      const error = rate.allowed ? MALFORMED : rateLimited(rate);
      const id = `req_${ids.next()}`;
      const page = isFromBrowser(received) ? errorPage(error, id) : null;
      const body = page?.html ?? errorText(error, id);
      const headers = {
        ...SECURITY_HEADERS,
        'content-type': JSON_TYPE,
        ...page?.headers,
        'content-length': Buffer.byteLength(body),
        'x-request-id': id,
        ...rateHeaders(rate),
        connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const status = statusOf(error);
      if (!socket.writable || response?.headersSent) return void socket.destroy();
      response?.detachSocket(socket);
      socket.end(`HTTP/1.1 ${status} ${REASON_PHRASES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
    };
    write().catch(() => socket.destroy());
  };

  return ({ rawPacket }: Error & { rawPacket?: unknown }, socket: Socket): void => {
    // Everything after the first malformed byte fails too.
    if (failed.has(socket)) return;
    failed.add(socket);
    answer(socket, rawPacket);
  };
};
