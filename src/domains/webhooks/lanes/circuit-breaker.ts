import { MINUTE_MS, SECOND_MS } from '../../../platform/clock.ts';

/** Opens at this many attempts of a period when this share of them failed, or after as many failures in a row. */
const MIN_ATTEMPTS = 10;
const FAILURE_SHARE = 0.7;
const PERIOD_MS = 5 * MINUTE_MS;
const FIRST_PAUSE_MS = 30 * SECOND_MS;
const MAX_PAUSE_MS = 10 * MINUTE_MS;
/** Probes of endpoints that failed together are spread: a pause is extended by at most this share. */
const JITTER = 0.2;

/** What is stored of a breaker, in epoch milliseconds. Closed: null and 0. */
export interface BreakerState {
  untilMs: number | null;
  /** Failed probes, and 1 for the opening. */
  failures: number;
  /** The opening, or earlier when retries of the endpoint failed before. */
  failingSinceMs: number | null;
}

const CLOSED: BreakerState = { untilMs: null, failures: 0, failingSinceMs: null };

/**
 * Pauses the attempts of an endpoint that fails. While it is open, one attempt at a time is made to find out whether
 * the endpoint works again, with pauses that double. Deliveries that wait use no attempt of their schedule.
 */
export class CircuitBreaker {
  #state: BreakerState;
  #attempts = 0;
  #failures = 0;
  #failuresInARow = 0;
  #periodStartMs = 0;
  readonly #random: () => number;

  constructor(state: BreakerState = CLOSED, random: () => number = Math.random) {
    this.#state = state;
    this.#random = random;
  }

  get state(): BreakerState {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.#state.untilMs !== null;
  }

  /** Whether attempts are paused now. After the pause of an open breaker, one attempt at a time may be made. */
  isPaused(nowMs: number): boolean {
    return this.#state.untilMs !== null && this.#state.untilMs > nowMs;
  }

  /** Adopts what is stored: by another process, or by a merchant who enabled the endpoint or changed its URL. */
  restore(state: BreakerState): void {
    if (this.isOpen && state.untilMs === null) this.#reset();
    this.#state = state;
  }

  /** Returns whether the state changed and has to be stored. */
  succeeded(nowMs: number): boolean {
    this.#count(nowMs, false);
    if (!this.isOpen && this.#state.failingSinceMs === null) return false;
    this.#state = CLOSED;
    this.#reset();
    return true;
  }

  /**
   * `minWaitMs` is what the receiver requested with Retry-After. An attempt that was started before the breaker opened
   * does not extend the pause. Returns whether the state changed and has to be stored.
   */
  failed(nowMs: number, { minWaitMs, wasProbe }: { minWaitMs: number; wasProbe: boolean }): boolean {
    this.#count(nowMs, true);
    const failures = this.#failuresAfter(wasProbe);
    if (failures === this.#state.failures && minWaitMs === 0) return false;
    const pauseMs = failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    const extendedMs = failures === this.#state.failures ? 0 : pauseMs * (1 + JITTER * this.#random());
    const untilMs = Math.ceil(Math.max(nowMs + Math.max(extendedMs, minWaitMs), this.#state.untilMs ?? 0));
    const failingSinceMs = this.#state.failingSinceMs ?? (failures === 0 ? null : nowMs);
    this.#state = { untilMs, failures, failingSinceMs };
    return true;
  }

  #failuresAfter(wasProbe: boolean): number {
    if (this.#state.failures > 0) return this.#state.failures + (wasProbe ? 1 : 0);
    const isFailing = this.#attempts >= MIN_ATTEMPTS && this.#failures / this.#attempts >= FAILURE_SHARE;
    return isFailing || this.#failuresInARow >= MIN_ATTEMPTS ? 1 : 0;
  }

  #reset(): void {
    this.#attempts = 0;
    this.#failures = 0;
    this.#failuresInARow = 0;
  }

  #count(nowMs: number, hasFailed: boolean): void {
    if (nowMs - this.#periodStartMs > PERIOD_MS) {
      this.#periodStartMs = nowMs;
      this.#attempts = 0;
      this.#failures = 0;
    }
    this.#attempts += 1;
    this.#failures += hasFailed ? 1 : 0;
    this.#failuresInARow = hasFailed ? this.#failuresInARow + 1 : 0;
  }
}
