import { Agent, request } from 'undici';

/** `problem` is a stable code for why there is no readable response; then nothing is certain. */
export type HttpResult =
  | { status: number; json: unknown; problem: null }
  | { status: number | null; json: null; problem: string };

export interface HttpCall {
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** For the whole call: connecting, waiting and reading. */
  deadlineMs: number;
}

export interface RailHttp {
  /** Never throws. Follows no redirects and retries nothing. */
  call(call: HttpCall): Promise<HttpResult>;
  close(): Promise<void>;
}

const MAX_RESPONSE_BYTES = 65_536;
const CONNECT_TIMEOUT_MS = 3_000;

/** `headers` are sent with every call: credentials belong there. */
export const createRailHttp = (options: {
  url: string;
  headers: Readonly<Record<string, string>>;
  connections?: number;
}): RailHttp => {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, connections: options.connections ?? 32, pipelining: 1 });
  const base = options.url.replace(/\/$/, '');

  return {
    async call({ method, path, headers = {}, body, deadlineMs }) {
      let status: number | null = null;
      try {
        const response = await request(base + path, {
          dispatcher: agent,
          method,
          headers: { accept: 'application/json', ...options.headers, ...headers },
          body: body ?? null,
          signal: AbortSignal.timeout(deadlineMs),
        });
        status = response.statusCode;
        const text = await readUpTo(MAX_RESPONSE_BYTES, response.body);
        return { status, json: JSON.parse(text) as unknown, problem: null };
      } catch (error) {
        return { status, json: null, problem: problemOf(error, status) };
      }
    },
    close: () => agent.destroy(),
  };
};

const readUpTo = async (maxBytes: number, body: AsyncIterable<Uint8Array>): Promise<string> => {
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
