import type { FaultClass } from '../../../../contracts/faults.ts';
import { faultClassOf } from '../../../../contracts/rails.ts';
import {
  type Answer,
  type Exchange,
  type Fault,
  failedAnswer,
  notTakenAnswer,
  type Redacted,
  reviewAnswer,
  toSafeCode,
  unknownAnswer,
} from '../answer.ts';
import type { HttpResult } from '../rail-http.ts';
import { acceptedAnswer, errorShown, faultOf, type PayPalOrder } from './paypal-answers.ts';
import { createdSchema, errorOf, type PayPalError } from './paypal-wire.ts';

/** PayPal has a batch under this key already. */
export interface Duplicate {
  duplicateOf: string;
}

/** What follows from the answer to a new batch. Everything that is not taken may be sent again under the same key. */
export const createReading = (http: HttpResult, order: PayPalOrder, request: Redacted): Answer | Duplicate => {
  const exchange = { request, response: errorShown(http) };
  if (http.problem !== null) return unknownAnswer(http.problem, exchange);
  if (http.status === 201) return createdAnswer(http, order, request);
  const error = errorOf(http);
  if (!error) return unknownAnswer(`http_${http.status}`, exchange);
  return refusalOf(http, error, exchange);
};

/** Without a token, nothing was sent. */
export const unsentAnswer = (http: HttpResult, request: Redacted): Answer => {
  const exchange = { request, response: { ...errorShown(http), sent: false } };
  const problem = http.problem ?? `http_${http.status}`;
  const error = errorOf(http);
  const isRefused = error !== null && http.status !== null && [400, 401, 403].includes(http.status);
  const fault: Fault | null = isRefused ? { class: 'account', code: toSafeCode(error.name) } : null;
  return notTakenAnswer(problem, exchange, { retryAfterMs: http.retryAfterMs, fault });
};

/** What the batch under our key says. Whatever contradicts the order there is the order of another. */
export const originalAnswer = (original: Answer, { request, batch }: { request: Redacted; batch: string }): Answer => {
  const references = { batch, ...original.references };
  const response = { ...original.response, duplicateOf: batch };
  if (original.needsReview !== 'record_mismatch') return { ...original, references, request, response };
  const exchange = { request, response, ...(original.word ? { word: original.word } : {}) };
  return reviewAnswer('key_reused', exchange);
};

const createdAnswer = (http: HttpResult, order: PayPalOrder, request: Redacted): Answer => {
  const read = createdSchema.safeParse(http.json);
  if (!read.success) return unknownAnswer('body_unreadable', { request, response: { http: 201 } });
  const { payout_batch_id: batch, batch_status: state, sender_batch_header: sender } = read.data.batch_header;
  const exchange = { request, response: { http: 201, batch, batchState: toSafeCode(state) } };
  const key = sender?.sender_batch_id ?? order.idempotencyKey;
  if (key !== order.idempotencyKey) return reviewAnswer('record_mismatch', exchange);
  return acceptedAnswer(exchange, { batch }, toSafeCode(state));
};

/** How long PayPal limits a caller when it does not say. */
const LIMITED_MS = 60_000;

const refusalOf = (http: HttpResult, error: PayPalError, exchange: Exchange): Answer | Duplicate => {
  const problem = `http_${http.status}`;
  const code = toSafeCode(error.name);
  const ofAccount: Fault = { class: 'account', code };
  if (http.status === 429)
    return notTakenAnswer(problem, exchange, {
      retryAfterMs: http.retryAfterMs || LIMITED_MS,
      fault: { class: 'provider', code },
    });
  if (http.status === 401 || http.status === 403) return notTakenAnswer(problem, exchange, { fault: ofAccount });
  if (http.status !== 400 && http.status !== 422) return unknownAnswer(problem, exchange);
  if (error.name === 'USER_BUSINESS_ERROR') return duplicateOf(error) ?? reviewAnswer('key_reused', exchange);
  const fault = error.name === 'VALIDATION_ERROR' ? invalidFault(error) : classified(http.status, code);
  if (UNDECIDED.has(fault.class) && faultClassOf('paypal', code)) return unknownAnswer(problem, exchange);
  // Only this account fault is about the currency of one order.
  if (fault.class === 'account' && code !== 'NON_HOLDING_CURRENCY') return notTakenAnswer(problem, exchange, { fault });
  return failedAnswer(fault, exchange);
};

/** Errors of these classes do not say whether the batch was taken. */
const UNDECIDED: ReadonlySet<FaultClass> = new Set(['provider', 'unclear']);

/** By 422, PayPal refuses what the account may not do, whatever the word. */
const classified = (status: number, code: string): Fault =>
  status === 422 && faultClassOf('paypal', code) === null ? { class: 'account', code } : faultOf(code);

/** `items[0].receiver`, or as a JSON pointer `/items/0/receiver`. */
const invalidFault = ({ details }: PayPalError): Fault =>
  faultOf(details?.some(({ field }) => /(^|[./])receiver$/.test(field ?? '')) ? 'INVALID_EMAIL' : 'VALIDATION_ERROR');

const BATCH_PATH = /^\/v1\/payments\/payouts\/([A-Za-z0-9_-]{1,64})$/;

/** The id stands in the path of a link. Its host is not ours to follow. */
const duplicateOf = ({ details }: PayPalError): Duplicate | null => {
  const links = (details ?? []).flatMap(({ link }) => link ?? []);
  const ids = links.flatMap(({ href }) => BATCH_PATH.exec(URL.parse(href)?.pathname ?? '')?.[1] ?? []);
  return ids[0] === undefined ? null : { duplicateOf: ids[0] };
};
