import { ApplicationFailure, log } from '@temporalio/activity';
import { ERRORS } from '../../src/contracts/error-codes.ts';
import { AppError } from '../../src/platform/errors.ts';

/**
 * What a story is told when a step fails. A refusal is final and named by its code; a fault is repeated. The text of a
 * fault stays in the log: a driver's message may quote a person's data, and histories are never encrypted.
 */
export const toFailure = (error: unknown): unknown => {
  if (error instanceof AppError && ERRORS[error.code].status < 500) {
    return ApplicationFailure.nonRetryable(error.message, error.code);
  }
  if (error instanceof ApplicationFailure) return error;
  const name = error instanceof Error ? error.name : 'Error';
  log.warn('a step failed', { errorName: name });
  return ApplicationFailure.create({ message: 'The step failed and will be tried again', type: name });
};

type Steps = Record<string, (input: never) => Promise<unknown>>;

/** Every activity of a set, with its errors translated. */
export const translated = <T extends object>(steps: T): T =>
  Object.fromEntries(
    Object.entries(steps as unknown as Steps).map(([name, step]) => [
      name,
      async (input: never) => {
        try {
          return await step(input);
        } catch (error) {
          throw toFailure(error);
        }
      },
    ]),
  ) as T;
