import { SECOND_MS } from '../../../platform/clock.ts';

/** What was not used in this time may be made up for: a lane wakes up every 50 to 100 milliseconds. */
const BURST_MS = 200;

/** Spreads the attempts of an endpoint. In `t` seconds, at most `perSecond` × (t + 0.2) + 1 start. */
export class SendRate {
  /** Null for no limit. */
  perSecond: number | null = null;
  #nextMs = 0;

  /** How many deliveries to hold in memory: those of the next second. The rest would only take the place of others. */
  get readAhead(): number {
    return this.perSecond ?? Number.POSITIVE_INFINITY;
  }

  isLoweredBy(perSecond: number | null): boolean {
    return (perSecond ?? Number.POSITIVE_INFINITY) < this.readAhead;
  }

  allows(nowMs: number): boolean {
    // A clock that is set back must not stop the endpoint.
    this.#nextMs = Math.min(this.#nextMs, nowMs + this.#everyMs);
    return this.perSecond === null || this.#nextMs <= nowMs;
  }

  /** An attempt starts. */
  count(nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs - BURST_MS) + this.#everyMs;
  }

  get #everyMs(): number {
    return this.perSecond === null ? 0 : SECOND_MS / this.perSecond;
  }
}
