import { Agent, request } from 'undici';

/** What came back. `problem` says why there is no readable answer; then nothing is certain. */
export type HttpAnswer =
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
  /** Never throws. Follows no redirects and repeats nothing. */
  call(call: HttpCall): Promise<HttpAnswer>;
  close(): Promise<void>;
}

const MAX_ANSWER_BYTES = 65_536;
const CONNECT_TIMEOUT_MS = 3_000;

export const createRailHttp = (options: { url: string; apiKey: string; connections?: number }): RailHttp => {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, connections: options.connections ?? 32, pipelining: 1 });
  const base = options.url.replace(/\/+$/, '');

  return {
    async call({ method, path, headers = {}, body, deadlineMs }) {
      let status: number | null = null;
      try {
        const answer = await request(base + path, {
          dispatcher: agent,
          method,
          headers: { authorization: `Bearer ${options.apiKey}`, accept: 'application/json', ...headers },
          body: body ?? null,
          signal: AbortSignal.timeout(deadlineMs),
        });
        status = answer.statusCode;
        const text = await readUpTo(MAX_ANSWER_BYTES, answer.body);
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

/** One stable word; messages of network errors name addresses, and those of the parser quote the body. */
const problemOf = (error: unknown, status: number | null): string => {
  if (error instanceof TooLarge) return 'body_too_large';
  const isRead = status !== null && error instanceof SyntaxError;
  if (isRead) return status >= 200 && status < 300 ? 'body_unreadable' : `http_${status}`;
  const { name, code } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError' || code?.endsWith('_TIMEOUT')) return 'timeout';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  return 'connection_lost';
};
