import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { failureOf, SendFailure } from './send-failure.ts';
import type { Target } from './url-rules.ts';

export const LIMITS = { readBytes: 65_536, keptBytes: 16_384, headerBytes: 16_384, interimAnswers: 20 } as const;

export interface Answer {
  status: number;
  /** Lower-case names; what could be a credential is blanked. */
  headers: Record<string, string>;
  /** Every `retry-after` line. */
  retryAfter: string[];
  excerpt: Buffer;
  /** True when the body went on beyond what was read or kept, or broke off. */
  truncated: boolean;
  firstByteAtMs: number;
}

const CREDENTIALS = new Set(['set-cookie', 'set-cookie2', 'authorization', 'proxy-authorization', 'www-authenticate']);

const readHeaders = (raw: readonly string[]): Pick<Answer, 'headers' | 'retryAfter'> => {
  const headers: Record<string, string> = {};
  const retryAfter: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    if (name === 'retry-after') retryAfter.push(value);
    const shown = CREDENTIALS.has(name) ? '[hidden]' : value.replaceAll('\u0000', '');
    headers[name] = Object.hasOwn(headers, name) && !CREDENTIALS.has(name) ? `${headers[name]}, ${shown}` : shown;
  }
  return { headers, retryAfter };
};

/** Reads until the limit, the end, a fault or the deadline; whichever comes, the status has already decided. */
const readBody = (response: IncomingMessage, signal: AbortSignal): Promise<Pick<Answer, 'excerpt' | 'truncated'>> =>
  new Promise((resolve) => {
    const kept: Buffer[] = [];
    let seen = 0;
    const finish = (whole: boolean): void => {
      signal.removeEventListener('abort', broken);
      response.off('data', take);
      resolve({
        excerpt: Buffer.concat(kept).subarray(0, LIMITS.keptBytes),
        truncated: !whole || seen > LIMITS.keptBytes,
      });
    };
    const broken = (): void => finish(false);
    const take = (chunk: Buffer): void => {
      if (seen < LIMITS.keptBytes) kept.push(chunk);
      seen += chunk.length;
      if (seen >= LIMITS.readBytes) broken();
    };
    signal.addEventListener('abort', broken, { once: true });
    response.on('data', take).on('error', broken).on('close', broken);
    response.on('end', () => finish(response.complete));
    if (signal.aborted) broken();
  });

/**
 * One POST over a socket that is already open and checked. Redirects are answers like any other; the socket is used
 * once. Throws a SendFailure when no final status came before the signal.
 */
export const exchange = (
  socket: Duplex,
  target: Target,
  message: { headers: Readonly<Record<string, string>>; body: Buffer },
  signal: AbortSignal,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request({
      method: 'POST',
      path: target.path,
      headers: { ...message.headers, host: target.hostHeader, 'content-length': String(message.body.length) },
      createConnection: () => socket,
      setHost: false,
      maxHeaderSize: LIMITS.headerBytes,
      insecureHTTPParser: false,
    });
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', late);
      reject(failureOf(error, 'reset'));
    };
    // A receiver that stopped reading is told apart from one that does not answer.
    const late = (): void => fail(new SendFailure(outgoing.writableFinished ? 'timeout_headers' : 'timeout_body'));
    let interim = 0;
    let answered = false;
    signal.addEventListener('abort', late, { once: true });
    // Once a final status is there it decides, whatever happens to the socket afterwards.
    outgoing.on('error', (error) => answered || fail(error));
    outgoing.on('information', () => {
      interim += 1;
      if (interim > LIMITS.interimAnswers) fail(new SendFailure('bad_response'));
    });
    outgoing.on('upgrade', () => fail(new SendFailure('bad_response')));
    outgoing.on('response', (response) => {
      answered = true;
      signal.removeEventListener('abort', late);
      const firstByteAtMs = performance.now();
      const { headers, retryAfter } = readHeaders(response.rawHeaders);
      readBody(response, signal)
        .then((body) => resolve({ status: response.statusCode ?? 0, headers, retryAfter, ...body, firstByteAtMs }))
        .catch(reject);
    });
    outgoing.end(message.body);
  });
