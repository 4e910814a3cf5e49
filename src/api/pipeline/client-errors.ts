import type { Socket } from 'node:net';
import { ANONYMOUS_PER_MINUTE } from '../../contracts/limits.ts';
import { AppError } from '../../platform/errors.ts';
import { errorText, JSON_TYPE, statusOf } from '../../platform/http/envelope.ts';
import type { Ids } from '../../platform/ids.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import { addressBucket, rateHeaders, tooMany } from './caller.ts';

const BROKEN = new AppError('BAD_REQUEST', 'This is not a complete HTTP request', {
  issues: [{ path: 'request', code: 'invalid', message: 'is not a complete HTTP request' }],
});

const WORDS: Record<number, string> = { 400: 'Bad Request', 429: 'Too Many Requests' };

/** What the HTTP parser gives up on never becomes a request: the answer is written by hand, counted like any other. */
export const handleClientError =
  (limiter: RateLimiter, ids: Ids) =>
  (_error: Error, socket: Socket & { _httpMessage?: unknown }): void => {
    // An answer is on its way on this connection: two would mix.
    if (!socket.writable || socket._httpMessage) return void socket.destroy();
    const write = async (): Promise<void> => {
      const rate = await limiter.decide(`a:${addressBucket(socket.remoteAddress ?? '')}`, ANONYMOUS_PER_MINUTE);
      const refusal = rate.allowed ? BROKEN : tooMany(rate);
      const id = `req_${ids.next()}`;
      const body = errorText(refusal, id);
      const headers = {
        'content-type': JSON_TYPE,
        'content-length': Buffer.byteLength(body),
        'x-request-id': id,
        ...rateHeaders(rate),
        connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const status = statusOf(refusal);
      if (!socket.writable) return void socket.destroy();
      socket.end(`HTTP/1.1 ${status} ${WORDS[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
    };
    write().catch(() => socket.destroy());
  };
