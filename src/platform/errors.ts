import type { ErrorCode, Reason } from '../contracts/error-codes.ts';

export type Details = Readonly<Record<string, unknown>>;

/**
 * An error that the caller can act on. The message is for the caller and must not contain personal data. Every other
 * error is a fault: the caller receives a fixed message and the request id.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Details | undefined;

  constructor(code: ErrorCode, message: string, details?: Details) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

export const notFound = (what: string): AppError => new AppError('NOT_FOUND', `${what} not found`);

export const forbidden = (message = 'This object belongs to another account'): AppError => new AppError('FORBIDDEN', message);

/** 409 with a stable `reason` code and further details. */
export const conflict = (reason: Reason, message: string, details: Details = {}): AppError =>
  new AppError('CONFLICT', message, { reason, ...details });

/** 422 for a rule that the schema cannot express, in the format of the schema's own issues. */
export const invalidField = (path: string, message: string, code = 'custom'): AppError =>
  new AppError('VALIDATION_ERROR', 'The request body fails validation', { issues: [{ path, code, message }] });

/** Throws a fault when an impossible state occurs. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Invariant violated: ${why}`);
}
