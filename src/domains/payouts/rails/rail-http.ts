import { Agent, request } from 'undici';
import { type Clock, HOUR_MS } from '../../../platform/clock.ts';
import { readRetryAfter } from '../../../platform/http/retry-after.ts';
import { recordCall } from './recorded-calls.ts';

interface Received {
  /** Lower-case names; of several lines of one name the first. */
  headers: Readonly<Record<string, string>>;
  /** How long the provider asks to wait, at most an hour; 0 when it does not. */
  retryAfterMs: number;
}

/** `problem` is a stable code for why there is no readable response; then nothing is certain. */
export type HttpResult = Received &
  ({ status: number; json: unknown; problem: null } | { status: number | null; json: null; problem: string });

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** `text` is sent as it is, with the content type of `headers`. */
  body?: { json: unknown } | { form: Readonly<Record<string, string>> } | { text: string };
  /** Applies to the whole call: connecting, waiting and reading. */
  deadlineMs: number;
  /** It asks for a credential, so it is never evidence. */
  isSecret?: true;
  /** Largest response: 64 KiB unless a list needs more, up to 8 MiB. */
  maxBytes?: number;
}

export interface RailHttp {
  /** Never throws. Follows no redirects and retries nothing. */
  call(call: HttpCall): Promise<HttpResult>;
  close(): Promise<void>;
}

const DEFAULT_MAX_BYTES = 65_536;
const HIGHEST_MAX_BYTES = 8 * 1_024 * 1_024;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** `headers` are sent with every call: credentials belong there. */
export const createRailHttp = (options: {
  url: string;
  headers: Readonly<Record<string, string>>;
  clock: Clock;
  connections?: number;
}): RailHttp => {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, connections: options.connections ?? 32, pipelining: 1 });
  const base = options.url.replace(/\/$/, '');

  return {
    async call({ method, path, headers = {}, body, deadlineMs, isSecret, maxBytes = DEFAULT_MAX_BYTES }) {
      let status: number | null = null;
      let answer: string | null = null;
      const sent = bodyOf(body);
      const end = (result: HttpResult): HttpResult => {
        const at = options.clock.now().toISOString();
        const { problem } = result;
        if (!isSecret)
          recordCall({ at, method, path, request: sent.text, status, headers: result.headers, response: answer, problem });
        return result;
      };
      let received: Received = { headers: {}, retryAfterMs: 0 };
      try {
        const response = await request(base + path, {
          dispatcher: agent,
          method,
          headers: { accept: 'application/json', ...sent.type, ...options.headers, ...headers },
          body: sent.text,
          signal: AbortSignal.timeout(deadlineMs),
        });
        status = response.statusCode;
        received = receivedOf(response.headers, options.clock.now());
        answer = await readUpTo(Math.min(maxBytes, HIGHEST_MAX_BYTES), response.body);
        return end({ ...received, status, json: JSON.parse(answer) as unknown, problem: null });
      } catch (error) {
        return end({ ...received, status, json: null, problem: problemOf(error, status) });
      }
    },
    close: () => agent.destroy(),
  };
};

const bodyOf = (body: HttpCall['body']): { type: Readonly<Record<string, string>>; text: string | null } => {
  if (!body) return { type: {}, text: null };
  if ('text' in body) return { type: {}, text: body.text };
  if ('json' in body) return { type: { 'content-type': 'application/json' }, text: JSON.stringify(body.json) };
  return { type: { 'content-type': 'application/x-www-form-urlencoded' }, text: String(new URLSearchParams(body.form)) };
};

const receivedOf = (lines: NodeJS.Dict<string | string[]>, now: Date): Received => {
  const entries = Object.entries(lines).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat()] as const);
  const asked = entries.find(([name]) => name === 'retry-after')?.[1] ?? [];
  return {
    headers: Object.fromEntries(entries.map(([name, [first = '']]) => [name, first])),
    retryAfterMs: Math.min(readRetryAfter(asked, now), MAX_RETRY_AFTER_MS),
  };
};

/** Throws for more. */
export const readUpTo = async (maxBytes: number, body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

class TooLarge extends Error {}

/** A stable code: messages of network errors contain addresses, and those of the parser quote the body. */
const problemOf = (error: unknown, status: number | null): string => {
  if (error instanceof TooLarge) return 'body_too_large';
  const isRead = status !== null && error instanceof SyntaxError;
  if (isRead) return status >= 200 && status < 300 ? 'body_unreadable' : `http_${status}`;
  const { name, code } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError' || code?.endsWith('_TIMEOUT')) return 'timeout';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  return 'connection_lost';
};
