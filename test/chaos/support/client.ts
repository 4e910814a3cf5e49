import { Agent, buildConnector, request } from 'undici';
import type { Repeats } from '../../../src/audit/index.ts';
import { TRANSIENT_REASONS } from '../../../src/contracts/error-codes.ts';
import { anyAddress } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import { pause } from '../../support/until.ts';

/** `refused`: no connection was made, so nothing was done. `interrupted`: the request may or may not have been processed. */
export type Outcome = { kind: 'response'; status: number; body: string } | { kind: 'refused' | 'interrupted'; code: string };

const connect = buildConnector({ timeout: 5_000 });

/**
 * One connection per request, so that no connection outlives a restart; each from its own address, because requests without
 * a valid key are limited per address.
 */
const agent = new Agent({
  pipelining: 0,
  keepAliveTimeout: 1,
  connections: null,
  connect: (options, callback) => connect({ ...options, localAddress: anyAddress() }, callback),
});

export interface ClientRequest {
  method?: 'GET' | 'POST' | 'PATCH';
  path: string;
  key: string;
  body?: unknown;
  idempotencyKey?: string;
  timeoutMs?: number;
}

/** Sends one request to a running process; never throws. */
export const send = async (
  url: string,
  { method = 'POST', path, key, body, idempotencyKey, timeoutMs = 15_000 }: ClientRequest,
): Promise<Outcome> => {
  try {
    const response = await request(`${url}/api/v1${path}`, {
      dispatcher: agent,
      method,
      reset: true,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { kind: 'response', status: response.statusCode, body: await response.body.text() };
  } catch (error) {
    const { code = 'UNKNOWN', name } = error as { code?: string; name?: string };
    const reason = name === 'TimeoutError' ? 'TIMEOUT' : code;
    return { kind: reason === 'ECONNREFUSED' ? 'refused' : 'interrupted', code: reason };
  }
};

const endsByItself = (body: string): boolean => TRANSIENT_REASONS.some((reason) => body.includes(`"${reason}"`));

/** Final responses by idempotency key: neither a 409 that ends by itself, 429 nor 5xx. */
export class ResponseLog {
  readonly #responses = new Map<string, { status: number; body: string }[]>();

  add(idempotencyKey: string, outcome: Outcome): void {
    if (outcome.kind !== 'response' || outcome.status >= 500 || outcome.status === 429) return;
    if (endsByItself(outcome.body)) return;
    const { status, body } = outcome;
    this.#responses.set(idempotencyKey, [...(this.#responses.get(idempotencyKey) ?? []), { status, body }]);
  }

  repeats(): Repeats[] {
    return [...this.#responses].map(([key, responses]) => ({ key, responses }));
  }

  /** Ids of the payouts whose creation was acknowledged with 201. */
  acknowledged(): { kind: 'payout'; id: string }[] {
    const made = [...this.#responses.values()].flat().filter(({ status }) => status === 201);
    return [...new Set(made.map(({ body }) => JSON.parse(body).data.id as string))].map((id) => ({ kind: 'payout', id }));
  }
}

/** Creates a payout, retrying with the same idempotency key until the response is final: what a careful caller does. */
export const retry = async (
  responses: ResponseLog,
  order: { urls: readonly string[]; key: string; body: unknown; idempotencyKey?: string; withinMs?: number },
): Promise<{ outcome: Outcome; tries: Outcome[] }> => {
  const idempotencyKey = order.idempotencyKey ?? unique();
  const tries: Outcome[] = [];
  for (const end = Date.now() + (order.withinMs ?? 60_000); ; ) {
    const url = order.urls[tries.length % order.urls.length] ?? '';
    const outcome = await send(url, { path: '/payouts', key: order.key, body: order.body, idempotencyKey });
    tries.push(outcome);
    responses.add(idempotencyKey, outcome);
    const isFinal = outcome.kind === 'response' && outcome.status < 500 && !endsByItself(outcome.body);
    if (isFinal || Date.now() > end) return { outcome, tries };
    await pause(100, 'the caller tries again');
  }
};
