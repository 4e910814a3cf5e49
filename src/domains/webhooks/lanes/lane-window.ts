import { LRUCache } from 'lru-cache';
import { DELIVERY_PRIORITIES } from '../../../contracts/webhooks.ts';
import { LaneEndpoint } from './lane-endpoint.ts';
import type { LaneRead, WaitingDelivery, WaitingEndpoint } from './lanes.queries.ts';

/** Deliveries that a lane holds in memory, waiting or in flight, and the part for endpoints that have not proven to work. */
const MAX_HELD = 500;
const MAX_UNPROVEN_HELD = 250;
/** Urgent deliveries are read even when the window is full. */
const MAX_URGENT_EXTRA = 100;
const URGENT_PRIORITY = DELIVERY_PRIORITIES.payout;
/** Attempts in flight, and the part for endpoints that have not proven to work. */
const MAX_IN_FLIGHT = 128;
const MAX_UNPROVEN_IN_FLIGHT = 64;
const MAX_REFUSED = 2_000;
const MAX_ENDPOINTS_PER_READ = 150;
const MAX_KNOWN_ENDPOINTS = 5_000;
const FIRST_LIMIT = 8;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A delivery with a started attempt. */
export interface InFlight {
  delivery: WaitingDelivery;
  /** It finds out whether an endpoint works again. */
  wasProbe: boolean;
}

/**
 * The deliveries that one lane works on, and which of them may start. A failing or slow endpoint occupies its own share:
 * the concurrency of an endpoint rises with each success and halves with each failure.
 */
export class LaneWindow {
  readonly #endpoints: LRUCache<string, LaneEndpoint>;
  /** Endpoints with waiting deliveries or attempts in flight: these are never evicted. */
  readonly #active = new Map<string, LaneEndpoint>();
  /** Started, and not yet recorded: they still look like waiting ones in the database. */
  readonly #unrecorded = new Set<string>();
  /** Could not be started; left to the next window. */
  readonly #refused = new Set<string>();
  readonly #changed = new Set<LaneEndpoint>();
  #inFlight = 0;
  readonly #random: (() => number) | undefined;
  #after = FIRST_ID;

  constructor(random?: () => number) {
    this.#random = random;
    this.#endpoints = new LRUCache({ max: MAX_KNOWN_ENDPOINTS });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Deliveries in memory. */
  get held(): number {
    return this.waiting + this.#unrecorded.size;
  }

  get waiting(): number {
    return this.#sum(({ waiting }) => waiting);
  }

  get unprovenInFlight(): number {
    return this.#sum(({ isProven, inFlight }) => (isProven ? 0 : inFlight));
  }

  /** Endpoints whose breaker has to be stored. Each is returned once. */
  takeChanged(): LaneEndpoint[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** What to read next. */
  nextRead(lane: number, nowMs: number): LaneRead {
    const isFull = this.held >= MAX_HELD;
    const unproven = this.#sum((endpoint) => (endpoint.isProven ? 0 : endpoint.waiting + endpoint.inFlight));
    const free = Math.max(0, MAX_HELD - this.held);
    const share = Math.max(1, Math.floor(free / Math.max(1, this.#active.size)));
    const unprovenShare = unproven >= MAX_UNPROVEN_HELD ? 0 : FIRST_LIMIT;
    const limits = new Map<string, number>();
    for (const [id, endpoint] of this.#active) {
      const allowed = endpoint.isProven ? Math.max(share, FIRST_LIMIT) : unprovenShare;
      limits.set(id, isFull ? Math.min(1, endpoint.readLimit(nowMs)) : Math.min(endpoint.readLimit(nowMs), allowed));
    }
    return {
      lane,
      after: this.#after,
      maxEndpoints: MAX_ENDPOINTS_PER_READ,
      limits,
      defaultLimit: isFull ? 1 : Math.max(1, unprovenShare),
      maxPriority: isFull ? URGENT_PRIORITY : DELIVERY_PRIORITIES.resumed,
      exclude: [...this.#refused, ...this.#unrecorded, ...[...this.#active.values()].flatMap(({ ids }) => ids)],
    };
  }

  /** Adds what was read. Returns how many deliveries can be started or wait for their turn. */
  add({ endpoints, next }: { endpoints: readonly WaitingEndpoint[]; next: string | null }, nowMs: number): number {
    this.#after = next ?? FIRST_ID;
    let added = 0;
    for (const stored of endpoints) {
      const endpoint = this.#endpointOf(stored.id);
      endpoint.update(stored);
      const free = Math.min(endpoint.readLimit(nowMs), MAX_HELD + MAX_URGENT_EXTRA - this.held);
      if (stored.deliveries.length === 0 || free <= 0) continue;
      const taken = stored.deliveries.slice(0, free);
      endpoint.add(taken);
      this.#active.set(endpoint.id, endpoint);
      added += taken.length;
    }
    return added;
  }

  /**
   * The next deliveries to start, at most `limit`: urgent ones first, then those of the merchants, and the endpoints, with the
   * fewest attempts in flight.
   */
  start(limit: number, nowMs: number, mayStart: (endpoint: LaneEndpoint) => boolean = () => true): InFlight[] {
    const started: InFlight[] = [];
    const byMerchant = new Map<string, number>();
    for (const { merchantId, inFlight } of this.#active.values()) {
      byMerchant.set(merchantId, (byMerchant.get(merchantId) ?? 0) + inFlight);
    }
    let unproven = this.unprovenInFlight;
    const isAllowed = (endpoint: LaneEndpoint): boolean =>
      endpoint.waiting > 0 &&
      endpoint.inFlight < endpoint.maxInFlight(nowMs) &&
      (endpoint.isProven || unproven < MAX_UNPROVEN_IN_FLIGHT) &&
      mayStart(endpoint);
    const busyOf = ({ merchantId }: LaneEndpoint): number => byMerchant.get(merchantId) ?? 0;
    const isBefore = (a: LaneEndpoint, b: LaneEndpoint): boolean =>
      (a.nextPriority - b.nextPriority || busyOf(a) - busyOf(b) || a.inFlight - b.inFlight) < 0;
    while (started.length < limit && this.#inFlight < MAX_IN_FLIGHT) {
      let next: LaneEndpoint | undefined;
      for (const endpoint of this.#active.values()) {
        if (isAllowed(endpoint) && (!next || isBefore(endpoint, next))) next = endpoint;
      }
      const wasProbe = next?.breaker.isOpen ?? false;
      const delivery = next?.start();
      if (!next || !delivery) break;
      this.#unrecorded.add(delivery.id);
      this.#inFlight += 1;
      byMerchant.set(next.merchantId, busyOf(next) + 1);
      if (!next.isProven) unproven += 1;
      started.push({ delivery, wasProbe });
    }
    return started;
  }

  /** The attempt got its outcome. Its delivery is held until `release`. */
  finish({ delivery, wasProbe }: InFlight, outcome: { succeeded: boolean; minWaitMs: number }, nowMs: number): LaneEndpoint {
    const endpoint = this.#endpointOf(delivery.endpointId);
    if (outcome.succeeded) endpoint.succeeded(nowMs);
    else endpoint.failed(nowMs, { minWaitMs: outcome.minWaitMs, wasProbe });
    if (endpoint.isChanged) this.#changed.add(endpoint);
    this.#leave(endpoint);
    return endpoint;
  }

  /** Whether the attempt was started is not known: the delivery is read again. */
  drop({ delivery }: InFlight): void {
    this.#leave(this.#endpointOf(delivery.endpointId));
    this.release(delivery);
  }

  /**
   * The attempt was not started: the delivery is closed, its endpoint is not active, or an earlier attempt has no outcome
   * yet. It is not read again by this window, which would only repeat it.
   */
  refuse(inFlight: InFlight): void {
    this.drop(inFlight);
    if (this.#refused.size < MAX_REFUSED) this.#refused.add(inFlight.delivery.id);
  }

  /** The outcome is recorded: the delivery is read again only if it still waits. */
  release({ id }: WaitingDelivery): void {
    this.#unrecorded.delete(id);
  }

  /** An empty window that keeps what this one learned about endpoints. */
  renewed(): LaneWindow {
    const next = new LaneWindow(this.#random);
    for (const [id, endpoint] of [...this.#endpoints.entries()].reverse()) next.#endpoints.set(id, endpoint.renewed());
    return next;
  }

  #leave(endpoint: LaneEndpoint): void {
    this.#inFlight -= 1;
    endpoint.inFlight -= 1;
    if (endpoint.waiting + endpoint.inFlight === 0) this.#active.delete(endpoint.id);
  }

  #endpointOf(id: string): LaneEndpoint {
    const known = this.#active.get(id) ?? this.#endpoints.get(id);
    if (known) return known;
    const endpoint = new LaneEndpoint(id, this.#random);
    this.#endpoints.set(id, endpoint);
    return endpoint;
  }

  #sum(amountOf: (endpoint: LaneEndpoint) => number): number {
    let sum = 0;
    for (const endpoint of this.#active.values()) sum += amountOf(endpoint);
    return sum;
  }
}
