import { isGrpcServiceError, NamespaceNotFoundError, ServiceError } from '@temporalio/client';
import { HOUR_MS, SECOND_MS } from '../../platform/clock.ts';

/** Dispatches that fail because of the row, until it counts as failed. */
export const MAX_FAILURES = 10;

const MAX_PAUSE_MS = 60 * SECOND_MS;
const MAX_OUTAGE_PAUSE_MS = 20 * SECOND_MS;
/** Failed rows are retried this often: a fixed version relays them without an operator. */
const FAILED_PAUSE_MS = HOUR_MS;
const ERROR_LENGTH = 300;

/** Status codes of gRPC that the row itself causes: INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE. */
const CODES_OF_ROWS: readonly number[] = [3, 9, 11];

/** `row`: it fails again until something is fixed. `outage`: any row would fail. `unknown`: could be either. */
export type FailureCause = 'row' | 'outage' | 'unknown';

/** Thrown when a row cannot be turned into a call, before anything is sent. */
export class RouteError extends Error {
  override name = 'RouteError';
}

export const causeOf = (error: unknown): FailureCause => {
  if (error instanceof RouteError) return 'row';
  if (error instanceof NamespaceNotFoundError) return 'outage';
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(cause)) return CODES_OF_ROWS.includes(cause.code) ? 'row' : 'outage';
  return 'unknown';
};

/** For the operator. The message of the SDK is the same for all errors, so that of its cause is added. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.name}: ${error.message}${cause}`.slice(0, ERROR_LENGTH);
};

export interface Retry {
  /** Failures that the row caused, this one included. */
  failures: number;
  pauseMs: number;
  /** Whether the row is set apart: shown to the operator, not counted as waiting, and retried once an hour. */
  failed: boolean;
}

/**
 * When a row is tried again. An outage never sets a row apart. An error of unknown cause counts if another row of the batch
 * was dispatched (`othersSucceed`).
 */
export const retryOf = (
  row: { attempts: number; failures: number },
  cause: FailureCause,
  { othersSucceed }: { othersSucceed: boolean },
): Retry => {
  if (cause === 'outage' || (cause === 'unknown' && !othersSucceed)) {
    const failed = row.failures >= MAX_FAILURES;
    const pauseMs = failed ? FAILED_PAUSE_MS : Math.min(row.attempts * SECOND_MS, MAX_OUTAGE_PAUSE_MS);
    return { failures: row.failures, pauseMs, failed };
  }
  const failures = row.failures + 1;
  if (failures >= MAX_FAILURES) return { failures, pauseMs: FAILED_PAUSE_MS, failed: true };
  return { failures, pauseMs: Math.min(2 ** (failures - 1) * SECOND_MS, MAX_PAUSE_MS), failed: false };
};
