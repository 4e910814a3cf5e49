import { Agent, buildConnector, request } from 'undici';
import type { Repeats } from '../../../src/audit/index.ts';
import { anyAddress } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';

/** `refused`: nobody listened, so nothing was done. `broken`: nobody knows what was done. */
export type Outcome =
  | { kind: 'answer'; status: number; body: string; ms: number }
  | { kind: 'refused' | 'broken'; code: string; ms: number };

const connect = buildConnector({ timeout: 5_000 });

/**
 * A connection for each request: what a connection of before the restart would do is no question here. From an address of
 * its own: requests without a valid key are counted by it.
 */
const agent = new Agent({
  pipelining: 0,
  keepAliveTimeout: 1,
  connections: null,
  connect: (options, heard) => connect({ ...options, localAddress: anyAddress() }, heard),
});

export interface ClientRequest {
  method?: 'GET' | 'POST';
  path: string;
  key: string;
  body?: unknown;
  idempotencyKey?: string;
  timeoutMs?: number;
}

/** One request to a real process; never throws. */
export const send = async (
  url: string,
  { method = 'POST', path, key, body, idempotencyKey, timeoutMs = 15_000 }: ClientRequest,
): Promise<Outcome> => {
  const since = Date.now();
  try {
    const answer = await request(`${url}/api/v1${path}`, {
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
    return { kind: 'answer', status: answer.statusCode, body: await answer.body.text(), ms: Date.now() - since };
  } catch (error) {
    const { code = 'UNKNOWN', name } = error as { code?: string; name?: string };
    const said = name === 'TimeoutError' ? 'TIMEOUT' : code;
    return { kind: said === 'ECONNREFUSED' ? 'refused' : 'broken', code: said, ms: Date.now() - since };
  }
};

/** Every answer that a key was given; 409 "still at work" and 5xx are no answers of the key. */
export class Memory {
  readonly #answers = new Map<string, { status: number; body: string }[]>();

  keep(idempotencyKey: string, outcome: Outcome): void {
    if (outcome.kind !== 'answer' || outcome.status >= 500 || outcome.status === 429) return;
    if (outcome.body.includes('IDEMPOTENCY_IN_PROGRESS')) return;
    const { status, body } = outcome;
    this.#answers.set(idempotencyKey, [...(this.#answers.get(idempotencyKey) ?? []), { status, body }]);
  }

  repeats(): Repeats[] {
    return [...this.#answers].map(([key, answers]) => ({ key, answers }));
  }

  /** Ids of what was answered with 201. */
  acknowledged(): { kind: 'payout'; id: string }[] {
    const made = [...this.#answers.values()].flat().filter(({ status }) => status === 201);
    return [...new Set(made.map(({ body }) => JSON.parse(body).data.id as string))].map((id) => ({ kind: 'payout', id }));
  }
}

/** Asks for a payout until somebody gives a final answer, always under the same key: what a careful caller does. */
export const retry = async (
  memory: Memory,
  order: { urls: readonly string[]; key: string; body: unknown; idempotencyKey?: string; withinMs?: number },
): Promise<{ outcome: Outcome; tries: Outcome[] }> => {
  const idempotencyKey = order.idempotencyKey ?? unique();
  const tries: Outcome[] = [];
  for (const end = Date.now() + (order.withinMs ?? 30_000); ; ) {
    const url = order.urls[tries.length % order.urls.length] ?? '';
    const outcome = await send(url, { path: '/payouts', key: order.key, body: order.body, idempotencyKey });
    tries.push(outcome);
    memory.keep(idempotencyKey, outcome);
    const isFinal = outcome.kind === 'answer' && outcome.status < 500 && !outcome.body.includes('IDEMPOTENCY_IN_PROGRESS');
    if (isFinal || Date.now() > end) return { outcome, tries };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
