import { ERRORS } from '../../contracts/error-codes.ts';
import type { AppError } from '../errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The success response `{data, meta}`, around data that is already JSON text. */
export const successText = (dataJson: string, meta: Readonly<Record<string, unknown>>): string =>
  `{"data":${dataJson},"meta":${JSON.stringify(meta)}}`;

/** The error response `{error, meta}`. */
export const errorText = (error: Pick<AppError, 'code' | 'message' | 'details'>, requestId: string): string =>
  JSON.stringify({
    error: { code: error.code, message: error.message, ...(error.details ? { details: error.details } : {}) },
    meta: { requestId },
  });

export const statusOf = (error: Pick<AppError, 'code'>): number => ERRORS[error.code].status;
