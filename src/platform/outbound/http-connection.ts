import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { keptHeaders, limitResponse, type ResponseHeaders, skipInterimResponses } from './response-limits.ts';
import { SendFailure, toSendFailure } from './send-failure.ts';
import type { Target } from './url-rules.ts';

const MAX_HEADER_BYTES = 16_384;
const MAX_READ_BYTES = 65_536;
const MAX_KEPT_BYTES = 16_384;
/** Many servers close an idle connection after 5 seconds. */
const IDLE_MS = 4_000;

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

/** HTTP/1.1 over a socket that is open and verified. Redirects are not followed. */
export interface HttpConnection {
  /** One POST at a time. Throws a SendFailure when there is no final status before the signal aborts. */
  post(
    message: { path: string; headers: Readonly<Record<string, string>>; body: Buffer },
    signal: AbortSignal,
  ): Promise<ReceivedResponse>;
  /** Whether another POST may follow: the last response ended, and neither side closed the connection. */
  isReusable(): boolean;
  /** Called once, when the connection is closed by either side. */
  onClose(listener: () => void): void;
  close(): void;
}

type Head = Omit<ReceivedResponse, 'excerpt' | 'truncated'>;

const readHead = (status: number, headers: ResponseHeaders): Head => ({
  status,
  headers: keptHeaders(headers),
  retryAfter: [headers['retry-after'] ?? []].flat(),
  firstByteAtMs: performance.now(),
});

interface Outcome {
  resolve(response: ReceivedResponse, isComplete: boolean): void;
  reject(error: unknown): void;
}

/** Once there is a status it decides, whatever happens to the body afterwards. */
const responseReader = (outcome: Outcome) => {
  let head: Head | null = null;
  const kept: Buffer[] = [];
  let seenBytes = 0;
  const finish = (complete: boolean): void => {
    if (!head) return;
    const excerpt = Buffer.concat(kept).subarray(0, MAX_KEPT_BYTES);
    outcome.resolve({ ...head, excerpt, truncated: !complete || seenBytes > MAX_KEPT_BYTES }, complete);
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
    onResponseError: (_controller, error) => (head ? finish(false) : outcome.reject(toSendFailure(error, 'reset'))),
  } satisfies Dispatcher.DispatchHandler;
};

const clientOn = (socket: Socket, target: Target, isKept: boolean): Client => {
  let isHandedOver = false;
  return new Client(`${target.secure ? 'https' : 'http'}://${target.hostHeader}`, {
    // Asynchronous: undici misses a socket that is handed over within its call. Never a second one: it would not be vetted.
    connect: (_options, done) =>
      queueMicrotask(() => {
        if (isHandedOver || socket.destroyed) return done(new SendFailure('reset'), null);
        isHandedOver = true;
        done(null, socket);
      }),
    pipelining: isKept ? 1 : 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
};

/** `isKept`: asks the server to keep the connection open for further requests. */
export const createHttpConnection = (socket: Socket, target: Target, isKept: boolean): HttpConnection => {
  const client = clientOn(socket, target, isKept);
  const countResponse = limitResponse(socket);
  const expectResponse = skipInterimResponses(socket);
  let isOpen = true;
  let isComplete = true;
  const close = (): void => {
    isOpen = false;
    void client.destroy();
    socket.destroy();
  };
  socket.once('close', close);
  return {
    async post({ path, headers, body }, signal) {
      isComplete = false;
      if (signal.aborted) throw new SendFailure('timeout_headers');
      countResponse();
      expectResponse();
      // Distinguishes a receiver that stopped reading from one that does not respond.
      const abort = (): void =>
        void client.destroy(new SendFailure(socket.writableLength === 0 ? 'timeout_headers' : 'timeout_body'));
      signal.addEventListener('abort', abort, { once: true });
      try {
        return await new Promise<ReceivedResponse>((resolve, reject) => {
          const reader = responseReader({
            resolve(response, ended) {
              isComplete = ended;
              resolve(response);
            },
            reject,
          });
          client.dispatch({ path, method: 'POST', headers: { ...headers, host: target.hostHeader }, body }, reader);
        });
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    isReusable: () => isKept && isOpen && isComplete && !socket.destroyed && socket.readable && socket.writable,
    onClose: (listener) => void socket.once('close', listener),
    close,
  };
};
