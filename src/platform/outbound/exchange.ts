import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { skipInterimResponses } from './interim-responses.ts';
import { keptHeaders, type ResponseHeaders } from './kept-headers.ts';
import { SendFailure, toSendFailure } from './send-failure.ts';
import type { Target } from './url-rules.ts';

const MAX_HEADER_BYTES = 16_384;
const MAX_READ_BYTES = 65_536;
const MAX_KEPT_BYTES = 16_384;

export interface ReceivedResponse {
  status: number;
  /** Lower-case names; only those of `keptHeaders`. */
  headers: Record<string, string>;
  /** One entry per `retry-after` line. */
  retryAfter: string[];
  excerpt: Buffer;
  /** True when the body is longer than the excerpt, or broke off. */
  truncated: boolean;
  /** On the clock of `performance.now()`. */
  firstByteAtMs: number;
}

type Head = Omit<ReceivedResponse, 'excerpt' | 'truncated'>;

const readHead = (status: number, headers: ResponseHeaders): Head => ({
  status,
  headers: keptHeaders(headers),
  retryAfter: [headers['retry-after'] ?? []].flat(),
  firstByteAtMs: performance.now(),
});

/** Once there is a status it decides, whatever happens to the body afterwards. */
const responseReader = (settle: { resolve: (response: ReceivedResponse) => void; reject: (error: unknown) => void }) => {
  let head: Head | null = null;
  const kept: Buffer[] = [];
  let seenBytes = 0;
  const finish = (complete: boolean): void => {
    if (!head) return;
    const excerpt = Buffer.concat(kept).subarray(0, MAX_KEPT_BYTES);
    settle.resolve({ ...head, excerpt, truncated: !complete || seenBytes > MAX_KEPT_BYTES });
  };
  return {
    onRequestStart() {},
    onResponseStart(_controller, status, headers) {
      head = readHead(status, headers);
    },
    onResponseData(_controller, chunk) {
      if (seenBytes < MAX_KEPT_BYTES) kept.push(chunk);
      seenBytes += chunk.length;
      if (seenBytes >= MAX_READ_BYTES) finish(false);
    },
    onResponseEnd: () => finish(true),
    onResponseError: (_controller, error) => (head ? finish(false) : settle.reject(toSendFailure(error, 'reset'))),
  } satisfies Dispatcher.DispatchHandler;
};

/**
 * One POST over a socket that is already open and verified. Redirects are not followed; the socket is used once.
 * Throws a SendFailure when there is no final status before the signal aborts.
 */
export const exchange = async (
  socket: Socket,
  target: Target,
  message: { headers: Readonly<Record<string, string>>; body: Buffer },
  signal: AbortSignal,
): Promise<ReceivedResponse> => {
  skipInterimResponses(socket);
  const client = new Client(`${target.secure ? 'https' : 'http'}://${target.hostHeader}`, {
    // Asynchronous: undici misses a socket that is handed over within its call.
    connect: (_options, done) =>
      queueMicrotask(() => (socket.destroyed ? done(new SendFailure('reset'), null) : done(null, socket))),
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // Distinguishes a receiver that stopped reading from one that does not respond.
  const abort = (): void =>
    void client.destroy(new SendFailure(socket.writableLength === 0 ? 'timeout_headers' : 'timeout_body'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<ReceivedResponse>((resolve, reject) => {
      const { headers, body } = message;
      client.dispatch(
        { path: target.path, method: 'POST', headers: { ...headers, host: target.hostHeader }, body },
        responseReader({ resolve, reject }),
      );
    });
  } finally {
    signal.removeEventListener('abort', abort);
    void client.destroy();
  }
};
