import { z } from 'zod';
import { faultClassOf } from '../../../contracts/rails.ts';
import { optionalMember } from '../../../platform/http/lenient.ts';
import {
  type Answer,
  type Fault,
  isRailStatus,
  notTakenAnswer,
  type ProviderFee,
  type Redacted,
  reviewAnswer,
  toSafeCode,
  unknownAnswer,
} from './answer.ts';
import type { HttpResult } from './rail-http.ts';

const minorUnits = z.int().min(0);

/** In minor units of the currency of the transfer. */
export const sandboxFee = {
  fee: optionalMember(minorUnits).describe('What the provider charged for the payment. Default: not known'),
  feeReturned: optionalMember(minorUnits).describe('What it gave back of that. Default: nothing'),
};

/** As a part of a `TransferRecord`. */
export const feesOf = ({ fee, feeReturned }: SandboxFee, currency: string): { fees?: ProviderFee[] } =>
  fee === undefined ? {} : { fees: [{ amountMinor: fee, currency, ...(feeReturned ? { returnedMinor: feeReturned } : {}) }] };

interface SandboxFee {
  fee?: number | undefined;
  feeReturned?: number | undefined;
}

const text = z.string().max(1_000);

const MAX_CODE = 101;

/** Cut, and not refused: a failure with a long text for a code is a failure. `toSafeCode` shows it as unreadable. */
export const codeText = z.preprocess(
  (given) => (typeof given === 'string' ? given.slice(0, MAX_CODE) : given),
  z.string().max(MAX_CODE),
);

export const transferSchema = z.object({
  id: z.string().min(1).max(100),
  idempotencyKey: text,
  reference: text,
  amount: z.number().int(),
  currency: text,
  status: text,
  failureCode: codeText.nullish(),
  ...sandboxFee,
});
export type SandboxTransfer = z.infer<typeof transferSchema>;

const errorSchema = z.object({ error: z.object({ code: text.min(1) }) });

/** The code of a well-formed error body, else null. */
export const errorCodeOf = ({ json }: HttpResult): string | null => {
  const read = errorSchema.safeParse(json);
  return read.success ? toSafeCode(read.data.error.code) : null;
};

export const faultOf = (code: string): Fault => ({ class: faultClassOf('sandbox', code) ?? 'unclear', code });

/** What a transfer in a response says. A record that `isOurs` does not accept is never an outcome. */
export const readTransfer = (http: HttpResult, request: Redacted, isOurs: (transfer: SandboxTransfer) => boolean): Answer => {
  const { status: httpStatus } = http;
  if (http.problem !== null) return unknownAnswer(http.problem, { request, response: { http: httpStatus } });
  const error = errorCodeOf(http);
  if (error === 'idempotency_key_reused') return reviewAnswer('key_reused', { request, response: { http: httpStatus, error } });
  if (error !== null && isNotTaken(httpStatus, error))
    return notTakenAnswer(`http_${httpStatus}`, { request, response: { http: httpStatus, error } }, http);
  if (httpStatus !== 200 && httpStatus !== 201)
    return unknownAnswer(`http_${httpStatus}`, { request, response: { http: httpStatus, error } });
  const read = transferSchema.safeParse(http.json);
  if (!read.success) return unknownAnswer('body_unreadable', { request, response: { http: httpStatus } });
  const { id, status } = read.data;
  const failureCode = read.data.failureCode ? toSafeCode(read.data.failureCode) : null;
  const response = { http: httpStatus, id: toSafeCode(id), status: toSafeCode(status), failureCode };
  const { reference, amount: amountMinor, currency } = read.data;
  const record = { reference, amountMinor, currency, ...feesOf(read.data, currency) };
  const exchange = { request, response, word: { status: response.status, id, reason: failureCode, record } };
  if (!isOurs(read.data)) return reviewAnswer('record_mismatch', exchange);
  if (!isRailStatus(status)) return reviewAnswer('status_unknown', exchange);
  const fault = failureCode === null ? null : faultOf(failureCode);
  const references = { transaction: id };
  return {
    outcome: status,
    railReference: id,
    references,
    fault,
    problem: null,
    needsReview: null,
    state: response.status,
    ...exchange,
  };
};

/** The provider's own word, not that of a proxy in between, that an order was not taken. */
const isNotTaken = (httpStatus: number | null, error: string): boolean =>
  httpStatus === 429 || (httpStatus === 503 && error === 'order_not_taken');
