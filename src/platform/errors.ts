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

/** The reason of the 409 with which something would be refused; null when it would not be. Other errors are thrown. */
export const reasonOf = async (assert: () => Promise<void>): Promise<Reason | null> => {
  try {
    await assert();
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
    return (error.details?.['reason'] ?? null) as Reason | null;
  }
};

/** One problem of a request. The message completes a sentence that begins with the path. */
export interface Issue {
  path: string;
  code: string;
  message: string;
}

/** Names the first issue in the message too: clients often show nothing else. */
export const invalid = (code: 'BAD_REQUEST' | 'VALIDATION_ERROR', what: string, issues: readonly Issue[]): AppError => {
  const [first] = issues;
  const text = first && [first.path, first.message].filter(Boolean).join(' ');
  return new AppError(code, text === undefined ? what : `${what}: ${text}`, { issues });
};

const INVALID_BODY = 'The request body fails validation';
export const invalidBody = (issues: readonly Issue[]): AppError => invalid('VALIDATION_ERROR', INVALID_BODY, issues);

/** 422 for a rule that the schema cannot express, in the format of the schema's own issues. */
export const invalidField = (path: string, message: string, code = 'custom'): AppError => invalidBody([{ path, code, message }]);

/** Throws a fault when an impossible state occurs. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Invariant violated: ${why}`);
}
