import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { ERRORS } from '../../src/contracts/error-codes.ts';
import { AppError } from '../../src/platform/errors.ts';
import { identifiersOf, type Logger } from '../../src/platform/logger.ts';
import { startHeartbeats } from './heartbeats.ts';

/**
 * The failure that Temporal stores. An `AppError` below 500 is non-retryable and named by its code; any other error is
 * retried. Histories are not encrypted and a driver's message may quote personal data, so only the class, SQLSTATE and
 * constraint are stored.
 */
export const toFailure = (error: unknown): ApplicationFailure => {
  if (error instanceof AppError && ERRORS[error.code].status < 500) {
    return ApplicationFailure.nonRetryable(error.message, error.code);
  }
  if (error instanceof ApplicationFailure) return error;
  // Messages of our own faults are safe to store, such as one that names a missing rail.
  if (error instanceof AppError) return ApplicationFailure.create({ message: error.message, type: error.code });
  const { type, code, constraint } = identifiersOf(error);
  const known = [type, code, constraint && `constraint ${constraint}`].filter((part) => part !== undefined).join(', ');
  return ApplicationFailure.create({ message: `The activity failed and will be retried (${known})`, type });
};

type Activities = Record<string, (input: never) => Promise<unknown>>;

/** The log gets the message and the stack; it hides values. */
const logFault = (log: Logger, err: unknown): void => {
  if (err instanceof ApplicationFailure || (err instanceof AppError && ERRORS[err.code].status < 500)) return;
  const { activityType, workflowExecution, attempt } = activityInfo();
  const { workflowId, runId } = workflowExecution ?? {};
  log.error({ err, activity: activityType, workflowId, runId, attempt }, 'activity failed');
};

/**
 * The same activities, with heartbeats, and with their errors logged and converted by `toFailure`. `heartbeats: false` is for
 * activities that report progress themselves: heartbeats at an interval would hide that they make none.
 */
export const translated = <T extends object>(log: () => Logger, activities: T, { heartbeats = true } = {}): T =>
  Object.fromEntries(
    Object.entries(activities as unknown as Activities).map(([name, activity]) => [
      name,
      async (input: never) => {
        const stopHeartbeats = heartbeats ? startHeartbeats() : () => {};
        try {
          return await activity(input);
        } catch (error) {
          logFault(log(), error);
          throw toFailure(error);
        } finally {
          stopHeartbeats();
        }
      },
    ]),
  ) as T;
