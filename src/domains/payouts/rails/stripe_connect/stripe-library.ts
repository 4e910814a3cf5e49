import type Stripe from 'stripe';
import type { Clock } from '../../../../platform/clock.ts';
import { loadStripe } from '../../../../platform/stripe/stripe-client.ts';
import { createRailHttp, type HttpResult, type RailHttp } from '../rail-http.ts';

/** Calls go nowhere else, whatever the library is told. */
const STRIPE_URL = 'https://api.stripe.com';

/** Lists of a hundred objects with what they refer to. */
const MAX_BYTES = 2 * 1_024 * 1_024;

export interface StripeError {
  status: number;
  /** Stripe's code, or its type where it has none. */
  code: string | null;
  type: string;
  /** The parameter that it is about. */
  param: string | null;
  /** It is the stored answer to an earlier request with the same key. */
  isReplayed: boolean;
  retryAfterMs: number;
}

/** What Stripe answered. `problem` is a stable code for why there is no answer that can be read: then nothing is certain. */
export type Heard<T> = { value: T } | { error: StripeError } | { problem: string; status: number | null };

export interface StripeCalls {
  /** Never throws. The library encodes and types the call; our HTTP client bounds it, and sends it once. */
  ask<T>(deadlineMs: number, work: (library: Stripe, options: { timeout: number }) => Promise<T>): Promise<Heard<T>>;
  close(): Promise<void>;
}

export const openStripe = (options: { secretKey: string; url: string | null; clock: Clock }): StripeCalls => {
  const http = createRailHttp({ url: options.url ?? STRIPE_URL, headers: {}, clock: options.clock });
  const received = new WeakMap<object, HttpResult>();
  let opened: Promise<Stripe> | undefined;
  const open = async (): Promise<Stripe> => {
    const Library = await loadStripe();
    const httpClient = clientOf(http, received) as Stripe.HttpClient;
    return new Library(options.secretKey, { httpClient, maxNetworkRetries: 0, telemetry: false });
  };
  const library = () => (opened ??= open());
  return {
    async ask(deadlineMs, work) {
      try {
        return { value: await work(await library(), { timeout: deadlineMs }) };
      } catch (error) {
        return heardOf(error, received);
      }
    },
    close: () => http.close(),
  };
};

/** Carries a problem through the library, which wraps it. Has no `code`: the library repeats calls after some of them. */
class NoAnswer extends Error {
  readonly problem: string;
  readonly status: number | null;

  constructor(problem: string, status: number | null) {
    super(problem);
    this.problem = problem;
    this.status = status;
  }
}

type MakeRequest = Stripe.HttpClient['makeRequest'];

/** The library's own client has neither a deadline for the whole call nor a limit for the answer, and repeats a call whose connection broke. */
const clientOf = (
  http: RailHttp,
  received: WeakMap<object, HttpResult>,
): Pick<Stripe.HttpClient, 'getClientName' | 'makeRequest'> => {
  const makeRequest: MakeRequest = async (...request) => {
    const [, , path, method, headers, data, , deadlineMs] = request;
    const result = await http.call({
      method: method as 'GET' | 'POST' | 'DELETE',
      path,
      headers: textsOf(headers),
      ...(method === 'POST' ? { body: { text: String(data) } } : {}),
      deadlineMs,
      maxBytes: method === 'GET' ? MAX_BYTES : 65_536,
    });
    if (result.problem !== null) throw new NoAnswer(result.problem, result.status);
    if (!isReadable(result.status, result.json)) throw new NoAnswer(unreadable(result.status), result.status);
    const answered = { ...result.headers };
    received.set(answered, result);
    return {
      getStatusCode: () => result.status,
      getHeaders: () => answered,
      getRawResponse: () => ({}),
      toStream: () => {
        throw new NoAnswer('no_stream', result.status);
      },
      toJSON: () => Promise.resolve(result.json),
    };
  };
  return { getClientName: () => 'tributary', makeRequest };
};

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  );

const unreadable = (status: number): string => (isSuccess(status) ? 'body_unreadable' : `http_${status}`);
const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Without an `error` the library takes every answer for an object, whatever its status. */
const isReadable = (status: number, json: unknown): boolean => {
  if (typeof json !== 'object' || json === null) return false;
  const { error } = json as { error?: unknown };
  return isSuccess(status) ? error === undefined : typeof error === 'object' && error !== null;
};

interface LibraryError {
  statusCode?: number;
  code?: string;
  rawType?: string;
  type?: string;
  param?: string;
  headers?: object;
  detail?: unknown;
}

const heardOf = (
  error: unknown,
  received: WeakMap<object, HttpResult>,
): { error: StripeError } | { problem: string; status: number | null } => {
  const { statusCode, code, rawType, type, param, headers, detail } = error as LibraryError;
  if (detail instanceof NoAnswer) return { problem: detail.problem, status: detail.status };
  if (statusCode === undefined) throw error;
  const result = headers && received.get(headers);
  return {
    error: {
      status: statusCode,
      code: code ?? null,
      type: rawType ?? type ?? '',
      param: param ?? null,
      isReplayed: result?.headers['idempotent-replayed'] === 'true',
      retryAfterMs: result?.retryAfterMs ?? 0,
    },
  };
};
