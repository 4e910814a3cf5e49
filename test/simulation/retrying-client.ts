import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type { z } from 'zod';
import { TRANSIENT_REASONS } from '../../src/contracts/error-codes.ts';
import { type ApiResponse, createApiClient, explain } from '../../src/local/demo/api-client.ts';
import { pause } from '../support/until.ts';

const GIVE_UP_MS = 90_000;
const PAUSE_MS = 200;
const TIMEOUT_MS = 15_000;

/** Sends again until there is a final response: what a careful caller does while processes crash and restart. */
const untilFinal = async <T extends { status: number }>(
  send: () => Promise<T>,
  isInProgress: (response: T) => boolean = () => false,
): Promise<T> => {
  for (const end = Date.now() + GIVE_UP_MS; ; await pause(PAUSE_MS, 'the caller tries again')) {
    const response = await send().catch((error: unknown) => {
      if (Date.now() > end) throw error;
      return null;
    });
    if (response === null) continue;
    if ((response.status < 500 && response.status !== 429 && !isInProgress(response)) || Date.now() > end) return response;
  }
};

/** One caller of the REST API. */
export interface RetryingClient {
  /** The final response, of any status. Each POST has its own idempotency key, which its repeats use too. */
  request(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<ApiResponse>;
  /** The parsed `data`; throws an error that names the request when it was refused. */
  get<S extends z.ZodType>(shape: S, path: string): Promise<z.output<S>>;
  send<S extends z.ZodType>(shape: S, method: 'POST' | 'PATCH', path: string, body?: unknown): Promise<z.output<S>>;
}

export const openRetryingClient = (apiUrl: string, key: string): RetryingClient => {
  const client = createApiClient(apiUrl, key);
  const send: RetryingClient['request'] = (method, path, body) => {
    const headers: Record<string, string> = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
    return untilFinal(
      () => client.request(method, path, method === 'POST' ? (body ?? {}) : body, headers),
      ({ error }) => TRANSIENT_REASONS.some((reason) => error?.details?.reason === reason),
    );
  };
  const checked = async <S extends z.ZodType>(shape: S, method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) => {
    const response = await send(method, path, body);
    if (response.status >= 300) throw new Error(explain(method, path, response));
    return shape.parse(response.data);
  };
  return {
    request: send,
    get: (shape, path) => checked(shape, 'GET', path),
    send: (shape, method, path, body) => checked(shape, method, path, body),
  };
};

export interface PublicResponse {
  status: number;
  text: string;
}

/**
 * Posts to a route without a key, from an address of this machine, because such routes are limited by address. `sign` makes the
 * headers of each try: a signature is valid for minutes.
 */
export const postFrom = (
  address: string,
  url: string,
  body: string,
  sign: () => Record<string, string> = () => ({}),
): Promise<PublicResponse> => {
  const post = async () => {
    const agent = new Agent({ pipelining: 0, localAddress: address });
    try {
      const response = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...sign() },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.statusCode, text: await response.body.text() };
    } finally {
      await agent.destroy();
    }
  };
  return untilFinal(post, ({ status, text }) => status === 409 && text.includes('"BUSY"'));
};
