import type { ErrorCode, Reason } from '../contracts/error-codes.ts';

export type Details = Readonly<Record<string, unknown>>;

/**
 * The caller, or the state of the world, is wrong. The message is written for the caller and may hold no personal
 * data. Every other error is a fault: callers see a fixed sentence and the request id.
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

export const forbidden = (message = 'This belongs to somebody else'): AppError => new AppError('FORBIDDEN', message);

/** 409 with a stable `reason` word and the facts beside it. */
export const conflict = (reason: Reason, message: string, facts: Details = {}): AppError =>
  new AppError('CONFLICT', message, { reason, ...facts });

/** 422 for a rule that a schema cannot say; same shape as the schema's own issues. */
export const invalidField = (path: string, message: string, code = 'custom'): AppError =>
  new AppError('VALIDATION_ERROR', 'The request body fails validation', { issues: [{ path, code, message }] });

/** An impossible state: a fault that names what was broken. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${why}`);
}
