import { ApplicationFailure, log } from '@temporalio/activity';
import { ERRORS } from '../../src/contracts/error-codes.ts';
import { AppError } from '../../src/platform/errors.ts';

/**
 * The failure that Temporal stores. An `AppError` below 500 is non-retryable and named by its code; any other error is
 * retried. Its message is left out: a driver's message may quote personal data, and histories are not encrypted.
 */
export const toFailure = (error: unknown): unknown => {
  if (error instanceof AppError && ERRORS[error.code].status < 500) {
    return ApplicationFailure.nonRetryable(error.message, error.code);
  }
  if (error instanceof ApplicationFailure) return error;
  // Messages of our own faults are safe to store, such as one that names a missing rail.
  if (error instanceof AppError) return ApplicationFailure.create({ message: error.message, type: error.code });
  const name = error instanceof Error ? error.name : 'Error';
  log.warn('activity failed', { errorName: name });
  return ApplicationFailure.create({ message: 'The activity failed and will be retried', type: name });
};

type Activities = Record<string, (input: never) => Promise<unknown>>;

/** The same activities, with their errors converted by `toFailure`. */
export const translated = <T extends object>(activities: T): T =>
  Object.fromEntries(
    Object.entries(activities as unknown as Activities).map(([name, activity]) => [
      name,
      async (input: never) => {
        try {
          return await activity(input);
        } catch (error) {
          throw toFailure(error);
        }
      },
    ]),
  ) as T;
