import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Ends a wait that hangs before the limit of its test does. How long something takes depends on the machine and says nothing. */
const LIMIT_MS = 120_000;
/** Limit for the system suite and for programs: they wait for leases and restarts. */
const SYSTEM_LIMIT_MS = 600_000;
const EVERY_MS = 25;
const MAX_CHARACTERS = 2_000;

const limitMs = (): number =>
  typeof expect === 'undefined' || /\/test\/(chaos|core|system)\//.test(expect.getState().testPath ?? '')
    ? SYSTEM_LIMIT_MS
    : LIMIT_MS;

/** An error whose stack shows where `until` was called: after the first pause it would show nothing of the test. */
const errorAt = ({ stack = '' }: { stack?: string }, message: string): Error => {
  const error = new Error(message);
  error.stack = [`Error: ${message}`, ...stack.split('\n').slice(1)].join('\n');
  return error;
};

/**
 * Reads a value again and again until it is as expected, by default truthy, and returns it. `what` completes the sentence "waiting
 * until …" and is shown with the last value when the time is over.
 */
export const until = async <T>(
  what: string,
  read: () => T | Promise<T>,
  isExpected: (value: T) => unknown = Boolean,
): Promise<T> => {
  const caller: { stack?: string } = {};
  Error.captureStackTrace(caller, until);
  const end = Date.now() + limitMs();
  for (;;) {
    const value = await read();
    if (isExpected(value)) {
      // A state that was reached is an assertion of its test.
      if (typeof expect !== 'undefined') expect(value).toBe(value);
      return value;
    }
    if (Date.now() > end)
      throw errorAt(caller, `Timed out waiting until ${what}. Last value: ${inspect(value).slice(0, MAX_CHARACTERS)}`);
    await sleep(EVERY_MS);
  }
};

/**
 * Lets time pass where time itself is tested: a lease that ends, a rate window, a message that must not come. Waiting for a state is
 * `until`. Resolves with the reason, so that a race says what won.
 */
export const pause = (ms: number, why: string): Promise<string> => sleep(ms, why);
