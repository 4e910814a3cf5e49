import { z } from 'zod';
import { RAIL_STATUSES, type RailStatus } from '../../../contracts/payouts.ts';
import type { NeverReceived, RailResult, Redacted } from './rail.ts';
import type { HttpAnswer } from './rail-http.ts';

const transfer = z.object({
  id: z.string().min(1).max(100),
  idempotencyKey: z.string(),
  reference: z.string(),
  amount: z.number().int(),
  currency: z.string(),
  status: z.string(),
  failureCode: z.string().nullish(),
});
export type Transfer = z.infer<typeof transfer>;

const refusal = z.object({ error: z.object({ code: z.string().min(1) }) });

const isFact = (status: string): status is RailStatus => (RAIL_STATUSES as readonly string[]).includes(status);

/**
 * What a transfer in an answer says. `isOurs` compares it with what we asked for: a record that differs is never taken
 * for an outcome.
 */
export const readTransfer = (answer: HttpAnswer, request: Redacted, isOurs: (found: Transfer) => boolean): RailResult => {
  const http = answer.status;
  if (answer.problem !== null) return unknown(answer.problem, false, request, { http });
  const code = errorCodeOf(answer);
  if (code === 'idempotency_key_reused') return unknown('key_reused', true, request, { http, error: code });
  if (answer.status !== 200 && answer.status !== 201)
    return unknown(`http_${answer.status}`, false, request, { http, error: code });
  const found = transfer.safeParse(answer.json);
  if (!found.success) return unknown('body_unreadable', false, request, { http });
  const { id, status } = found.data;
  const failureCode = found.data.failureCode ? asCode(found.data.failureCode) : null;
  const response: Redacted = { http, id: asCode(id), status: asCode(status), failureCode };
  if (!isOurs(found.data)) return unknown('record_differs', true, request, response);
  if (!isFact(status)) return unknown('status_unknown', true, request, response);
  return { outcome: status, railReference: id, failureCode, problem: null, needsPerson: false, request, response };
};

export const failed = (failureCode: string, request: Redacted, response: Redacted): RailResult => ({
  outcome: 'failed',
  railReference: null,
  failureCode,
  problem: null,
  needsPerson: false,
  request,
  response,
});

const unknown = (problem: string, needsPerson: boolean, request: Redacted, response: Redacted): RailResult => ({
  outcome: 'unknown',
  railReference: null,
  failureCode: null,
  problem,
  needsPerson,
  request,
  response: { ...response, problem },
});

export const neverReceived = (request: Redacted): NeverReceived => ({
  outcome: 'never_received',
  request,
  response: { http: 404, error: 'transfer_not_found' },
});

/** The code of a well-formed error body, else null. */
export const errorCodeOf = (answer: HttpAnswer): string | null => {
  const read = refusal.safeParse(answer.json);
  return read.success ? asCode(read.data.error.code) : null;
};

/** Codes are an open set, but only words are kept: a provider's free text may name the payee. */
const asCode = (text: string): string => (/^[A-Za-z0-9_.-]{1,100}$/.test(text) ? text : 'unreadable_code');
