import { z } from 'zod';
import { isRailStatus, type RailResult, type Redacted, toSafeCode, unknownResult } from './rail.ts';
import type { HttpResult } from './rail-http.ts';

const transferSchema = z.object({
  id: z.string().min(1).max(100),
  idempotencyKey: z.string(),
  reference: z.string(),
  amount: z.number().int(),
  currency: z.string(),
  status: z.string(),
  failureCode: z.string().nullish(),
});
export type SandboxTransfer = z.infer<typeof transferSchema>;

const errorSchema = z.object({ error: z.object({ code: z.string().min(1) }) });

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
  if (error === 'idempotency_key_reused')
    return unknownResult('key_reused', { request, response: { http: httpStatus, error } }, true);
  if (httpStatus !== 200 && httpStatus !== 201)
    return unknownResult(`http_${httpStatus}`, { request, response: { http: httpStatus, error } });
  const read = transferSchema.safeParse(http.json);
  if (!read.success) return unknownResult('body_unreadable', { request, response: { http: httpStatus } });
  const { id, status } = read.data;
  const failureCode = read.data.failureCode ? toSafeCode(read.data.failureCode) : null;
  const response = { http: httpStatus, id: toSafeCode(id), status: toSafeCode(status), failureCode };
  if (!isOurs(read.data)) return unknownResult('record_differs', { request, response }, true);
  if (!isRailStatus(status)) return unknownResult('status_unknown', { request, response }, true);
  return { outcome: status, railReference: id, failureCode, problem: null, needsReview: false, request, response };
};
