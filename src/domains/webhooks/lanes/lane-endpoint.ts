import { MAX_IN_FLIGHT_PER_ENDPOINT } from '../../../contracts/limits.ts';
import { DELIVERY_PRIORITIES, type DeliveryFailure } from '../../../contracts/webhooks.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type BreakerState, CircuitBreaker } from './circuit-breaker.ts';
import type { WaitingDelivery, WaitingEndpoint } from './lanes.queries.ts';

/** Unused attempts of this time may be made up for: a lane wakes up every 50 to 100 milliseconds. */
const BURST_MS = 200;

/** Spreads the attempts of an endpoint. In `t` seconds, at most `perSecond` × (t + 0.2) + 1 start. */
class SendRate {
  /** Null for no limit. */
  perSecond: number | null = null;
  #nextMs = 0;

  /** How many deliveries to buffer in memory: those of the next second. The rest would only take the place of others. */
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

const FIRST_CONCURRENCY = 4;
/** Share of replays among the attempts in flight of an endpoint and of a lane. */
export const REPLAYED_SHARE = 0.5;
/** How many deliveries are read ahead, in multiples of the concurrency. */
const READ_AHEAD = 8;
const READ_AHEAD_UNPROVEN = 2;
/** Replayed deliveries are read ahead less, and the others in small amounts in addition to them. */
const REPLAYED_READ_AHEAD = 2;
const READ_BESIDE_REPLAYED = 8;

const toMs = (time: string | null): number | null => (time === null ? null : Date.parse(time));

const stateOf = (stored: WaitingEndpoint): BreakerState => ({
  untilMs: toMs(stored.breakerUntil),
  failures: stored.breakerFailures,
  failingSinceMs: toMs(stored.failingSince),
});

/** Adds the URL that was tried. */
export type LaneFailure = DeliveryFailure & { url: string | null };

/** What a lane knows of one endpoint: its waiting deliveries, and how many attempts it can take at a time. */
export class LaneEndpoint {
  readonly id: string;
  readonly breaker: CircuitBreaker;
  merchantId = '';
  inFlight = 0;
  isInactive = false;
  /** The breaker changed since it was last stored. */
  isChanged = false;
  /** The last attempt succeeded. */
  isProven = false;
  lastFailure: LaneFailure = { error: null, httpStatus: null, url: null };
  #concurrency = FIRST_CONCURRENCY;
  /** A setting of the endpoint. */
  #maxConcurrency = MAX_IN_FLIGHT_PER_ENDPOINT;
  #rate = new SendRate();
  /** Sorted by priority and id, the next one last. */
  #waiting: WaitingDelivery[] = [];

  constructor(id: string, breaker = new CircuitBreaker()) {
    this.id = id;
    this.breaker = breaker;
  }

  /** The same endpoint without deliveries. */
  renewed(): LaneEndpoint {
    const next = new LaneEndpoint(this.id, this.breaker);
    next.merchantId = this.merchantId;
    next.isProven = this.isProven;
    next.isChanged = this.isChanged;
    next.lastFailure = this.lastFailure;
    next.#concurrency = this.#concurrency;
    next.#maxConcurrency = this.#maxConcurrency;
    next.#rate = this.#rate;
    return next;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Deliveries of replays, which come last: they must not take the place of others. */
  get replayed(): number {
    const others = this.#waiting.findIndex(({ priority }) => priority < DELIVERY_PRIORITIES.replayed);
    return others === -1 ? this.waiting : others;
  }

  get waitingOthers(): number {
    return this.waiting - this.replayed;
  }

  get ids(): string[] {
    return this.#waiting.map(({ id }) => id);
  }

  /** The priority of the next delivery; `Infinity` without one. */
  get nextPriority(): number {
    return this.#waiting.at(-1)?.priority ?? Number.POSITIVE_INFINITY;
  }

  /** How many attempts may be in flight now. */
  maxInFlight(nowMs: number): number {
    if (this.isInactive || this.breaker.isPaused(nowMs)) return 0;
    return this.breaker.isOpen ? 1 : Math.min(this.#concurrency, this.#maxConcurrency);
  }

  /** Replayed deliveries leave half of the attempts to others. */
  mayStart(nowMs: number): boolean {
    const share = this.nextPriority >= DELIVERY_PRIORITIES.replayed ? REPLAYED_SHARE : 1;
    if (this.waiting === 0 || this.inFlight >= Math.ceil(this.maxInFlight(nowMs) * share)) return false;
    return this.#rate.allows(nowMs);
  }

  /** How many more deliveries to take, apart from replayed ones. */
  takeLimit(nowMs: number): number {
    const ahead = this.maxInFlight(nowMs) * (this.isProven ? READ_AHEAD : READ_AHEAD_UNPROVEN);
    return Math.max(0, Math.min(ahead, this.#rate.readAhead) - this.waitingOthers);
  }

  /** Chooses what to take of the deliveries that were read, with at most `maxReplayed` replayed ones. */
  choose(deliveries: readonly WaitingDelivery[], maxReplayed: number, nowMs: number): WaitingDelivery[] {
    const { replayed: lowest } = DELIVERY_PRIORITIES;
    const others = deliveries.filter(({ priority }) => priority < lowest);
    const replayed = deliveries.filter(({ priority }) => priority >= lowest);
    const most = Math.max(0, Math.min(this.replayedLimit(nowMs), maxReplayed));
    return [...others.slice(0, this.takeLimit(nowMs)), ...replayed.slice(0, most)];
  }

  /** How many more replayed deliveries to take. */
  replayedLimit(nowMs: number): number {
    const ahead = Math.ceil(this.maxInFlight(nowMs) * REPLAYED_SHARE) * REPLAYED_READ_AHEAD;
    return Math.max(0, Math.min(ahead, this.#rate.readAhead) - this.replayed);
  }

  /** How many more deliveries to read. Replayed ones come last, so that few others are left once there are any. */
  readLimit(nowMs: number): number {
    const limit = this.takeLimit(nowMs);
    return this.replayed === 0 ? limit : Math.min(limit, Math.max(READ_BESIDE_REPLAYED, this.replayedLimit(nowMs)));
  }

  /** Adopts what the database knows, except for a breaker that changed meanwhile. */
  update(stored: WaitingEndpoint, nowMs: number): void {
    this.isInactive = stored.isInactive;
    const isLowered = stored.maxInFlight < this.#maxConcurrency || this.#rate.isLoweredBy(stored.ratePerSecond);
    this.#maxConcurrency = stored.maxInFlight;
    this.#rate.perSecond = stored.ratePerSecond;
    if (!this.isChanged) this.breaker.restore(stateOf(stored));
    // They could not be started, or not for long, and would only take the place of others, also of urgent ones.
    if (isLowered || this.maxInFlight(nowMs) === 0) this.clear();
  }

  add(deliveries: readonly WaitingDelivery[]): void {
    const [first] = deliveries;
    if (!first) return;
    this.merchantId = first.merchantId;
    this.#waiting = [...this.#waiting, ...deliveries].sort((a, b) => b.priority - a.priority || (a.id < b.id ? 1 : -1));
  }

  /** The next delivery, which is in flight from now on. */
  start(nowMs: number): WaitingDelivery | undefined {
    const delivery = this.#waiting.pop();
    if (!delivery) return undefined;
    this.inFlight += 1;
    this.#rate.count(nowMs);
    return delivery;
  }

  succeeded(nowMs: number): void {
    const wasOpen = this.breaker.isOpen;
    if (this.breaker.succeeded(nowMs)) this.isChanged = true;
    this.isProven = true;
    // After an outage, the rate rises from one attempt at a time.
    this.#concurrency = wasOpen ? 1 : Math.min(this.#concurrency + 1, MAX_IN_FLIGHT_PER_ENDPOINT);
  }

  failed(nowMs: number, attempt: { minWaitMs: number; wasProbe: boolean }, failure: LaneFailure): void {
    this.lastFailure = failure;
    if (this.breaker.failed(nowMs, attempt)) this.isChanged = true;
    this.isProven = false;
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    // They would only fill the buffer.
    if (this.breaker.isPaused(nowMs)) this.clear();
  }

  /** Forgets the waiting deliveries; they stay in the database. */
  clear(): void {
    this.#waiting = [];
  }
}
