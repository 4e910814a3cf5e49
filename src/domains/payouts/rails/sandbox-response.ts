import { z } from 'zod';
import { optionalMember } from '../../../platform/http/lenient.ts';
import { isRailStatus, type RailResult, type Redacted, reviewResult, toSafeCode, unknownResult } from './rail.ts';
import type { HttpResult } from './rail-http.ts';

const minorUnits = z.int().min(0);

/** In minor units of the currency of the transfer. */
export const sandboxFee = {
  fee: optionalMember(minorUnits).describe('What the provider charged for the payment. Default: not known'),
  feeReturned: optionalMember(minorUnits).describe('What it gave back of that. Default: nothing'),
};

/** As a part of a `TransferRecord`. */
export const feeOf = ({ fee, feeReturned }: { fee?: number | undefined; feeReturned?: number | undefined }) => ({
  ...(fee === undefined ? {} : { fee }),
  ...(feeReturned ? { feeReturned } : {}),
});

const text = z.string().max(1_000);

const MAX_CODE = 101;

/** Cut, and not refused: a failure with a long text for a code is a failure. `toSafeCode` shows it as unreadable. */
export const codeText = z.preprocess(
  (given) => (typeof given === 'string' ? given.slice(0, MAX_CODE) : given),
  z.string().max(MAX_CODE),
);

const transferSchema = z.object({
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

/** The result that a transfer in a response stands for. A record that `isOurs` does not accept is never an outcome. */
export const readTransfer = (http: HttpResult, request: Redacted, isOurs: (transfer: SandboxTransfer) => boolean): RailResult => {
  const { status: httpStatus } = http;
  if (http.problem !== null) return unknownResult(http.problem, { request, response: { http: httpStatus } });
  const error = errorCodeOf(http);
  if (error === 'idempotency_key_reused') return reviewResult('key_reused', { request, response: { http: httpStatus, error } });
  if (error !== null && isNotTaken(httpStatus, error))
    return { ...unknownResult(`http_${httpStatus}`, { request, response: { http: httpStatus, error } }), notTaken: true };
  if (httpStatus !== 200 && httpStatus !== 201)
    return unknownResult(`http_${httpStatus}`, { request, response: { http: httpStatus, error } });
  const read = transferSchema.safeParse(http.json);
  if (!read.success) return unknownResult('body_unreadable', { request, response: { http: httpStatus } });
  const { id, status } = read.data;
  const failureCode = read.data.failureCode ? toSafeCode(read.data.failureCode) : null;
  const response = { http: httpStatus, id: toSafeCode(id), status: toSafeCode(status), failureCode };
  const { reference, amount: amountMinor, currency } = read.data;
  const record = { reference, amountMinor, currency, ...feeOf(read.data) };
  const exchange = { request, response, word: { status: response.status, id, reason: failureCode, record } };
  if (!isOurs(read.data)) return reviewResult('record_mismatch', exchange);
  if (!isRailStatus(status)) return reviewResult('status_unknown', exchange);
  return { outcome: status, railReference: id, failureCode, problem: null, needsReview: null, ...exchange };
};

/** The provider's own word, not that of a proxy in between, that an order was not taken. */
const isNotTaken = (httpStatus: number | null, error: string): boolean =>
  httpStatus === 429 || (httpStatus === 503 && error === 'order_not_taken');
