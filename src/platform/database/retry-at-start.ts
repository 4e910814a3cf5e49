import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../clock.ts';
import { StartupError } from '../startup-error.ts';
import { isTimeout } from './pool.ts';

const MAX_WAIT_MS = 30 * SECOND_MS;
const PAUSE_MS = 250;

/** SQLSTATE: canceled by a timeout, the server is starting, all its connections are in use. */
const TEMPORARY_CODES = new Set(['57014', '57P03', '53300']);

/**
 * The first work of a process on the database. The limits of a request are short; a process that starts beside others on a busy
 * machine, or while Postgres starts, repeats its work for up to `maxWaitMs` instead. The work must be repeatable. Throws a
 * StartupError when the time is over; other errors, such as a refused connection, at once.
 */
export const retryAtStart = async <T>(work: () => Promise<T>, maxWaitMs = MAX_WAIT_MS): Promise<T> => {
  for (const end = Date.now() + maxWaitMs; ; await sleep(PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      if (Date.now() > end)
        throw new StartupError(`The database of DATABASE_URL did not respond within ${maxWaitMs / SECOND_MS} s`, {
          cause: error,
        });
    }
  }
};

/** The ORM and the pool wrap errors of the driver. */
const isTemporary = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (isTimeout(error) || ('code' in error && TEMPORARY_CODES.has(String(error.code)))) return true;
  return isTemporary(error.cause);
};
