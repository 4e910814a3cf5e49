import { ERRORS } from '../../contracts/error-codes.ts';
import type { AppError } from '../errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** `{data, meta}` of the specification, section 4, around data that is already JSON text. */
export const successText = (dataJson: string, meta: Readonly<Record<string, unknown>>): string =>
  `{"data":${dataJson},"meta":${JSON.stringify(meta)}}`;

/** `{error, meta}` of the specification, section 7. */
export const errorText = (refusal: Pick<AppError, 'code' | 'message' | 'details'>, requestId: string): string =>
  JSON.stringify({
    error: { code: refusal.code, message: refusal.message, ...(refusal.details ? { details: refusal.details } : {}) },
    meta: { requestId },
  });

export const statusOf = (refusal: Pick<AppError, 'code'>): number => ERRORS[refusal.code].status;
