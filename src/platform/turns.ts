import { setTimeout as sleep } from 'node:timers/promises';
import { conflict } from './errors.ts';

const TIMED_OUT = Symbol('timed out');

/**
 * Work of one name in this process, one after the other. Whoever would wait for a lock that others in the process hold waits here
 * instead, without a connection of the pool, and gets BUSY when it takes too long.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();
  readonly #maxWaitMs: number;

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    // Also of who gave up: the next one waits for those before.
    const last = (before ?? Promise.resolve()).then(() => ended);
    this.#last.set(name, last);
    void last.then(() => this.#forget(name, last));
    try {
      if (before !== undefined) await this.#await(before);
      return await work();
    } finally {
      end();
    }
  }

  async #await(before: Promise<void>): Promise<void> {
    const timer = new AbortController();
    const timeout = sleep(this.#maxWaitMs, TIMED_OUT, { signal: timer.signal }).catch(() => undefined);
    const first = await Promise.race([before, timeout]);
    timer.abort();
    if (first === TIMED_OUT)
      throw conflict('BUSY', 'Too many requests change the same at once. Repeat the request as it is', { retryAfterMs: 1_000 });
  }

  #forget(name: string, last: Promise<void>): void {
    if (this.#last.get(name) === last) this.#last.delete(name);
  }
}
