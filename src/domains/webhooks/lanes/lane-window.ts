import { LRUCache } from 'lru-cache';
import { DELIVERY_PRIORITIES } from '../../../contracts/webhooks.ts';
import { FIRST_ID } from '../../../platform/ids.ts';
import { LaneEndpoint, type LaneFailure, REPLAYED_SHARE } from './lane-endpoint.ts';
import type { LaneRead, WaitingDelivery, WaitingEndpoint } from './lanes.queries.ts';

/** Deliveries that a lane buffers in memory, waiting or in flight, and the part for endpoints that have not proven to work. */
const MAX_BUFFERED = 500;
const MAX_UNPROVEN_BUFFERED = 250;
const MAX_REPLAYED_BUFFERED = 128;
/** For urgent deliveries, and for endpoints that have none in a full window. */
const MAX_EXTRA = 100;
const MAX_WITH_EXTRA = MAX_BUFFERED + MAX_EXTRA;
const URGENT_PRIORITY = DELIVERY_PRIORITIES.payout;
/** Attempts in flight, and the part for endpoints that have not proven to work. */
const MAX_IN_FLIGHT = 128;
const MAX_UNPROVEN_IN_FLIGHT = 64;
const MAX_REFUSED = 2_000;
const MAX_ENDPOINTS_PER_READ = 150;
const MAX_KNOWN_ENDPOINTS = 5_000;
const FIRST_LIMIT = 8;

/** A delivery with a started attempt. */
export interface InFlight {
  delivery: WaitingDelivery;
  /** It finds out whether an endpoint works again. */
  wasProbe: boolean;
}

export type AttemptOutcome = Partial<LaneFailure> & { succeeded: boolean; minWaitMs: number };

/**
 * The deliveries that one lane works on, and which of them may start. A failing or slow endpoint occupies its own share:
 * the concurrency of an endpoint rises with each success and halves with each failure.
 */
export class LaneWindow {
  readonly #endpoints = new LRUCache<string, LaneEndpoint>({ max: MAX_KNOWN_ENDPOINTS });
  /** Endpoints with waiting deliveries or attempts in flight: these are never evicted. */
  readonly #active = new Map<string, LaneEndpoint>();
  /** Started, and not yet recorded: they still look like waiting ones in the database. */
  readonly #unrecorded = new Set<string>();
  /** Could not be started; left to the next window. */
  readonly #refused = new Set<string>();
  readonly #changed = new Set<LaneEndpoint>();
  #inFlight = 0;
  #after = FIRST_ID;
  #isUrgentTurn = false;

  get inFlight(): number {
    return this.#inFlight;
  }

  get buffered(): number {
    return this.waiting + this.#unrecorded.size;
  }

  get waiting(): number {
    return this.#sum(({ waiting }) => waiting);
  }

  get unprovenInFlight(): number {
    return this.#sum(({ isProven, inFlight }) => (isProven ? 0 : inFlight));
  }

  /** An endpoint whose breaker has to be stored. Each is returned once. */
  takeChanged(): LaneEndpoint | undefined {
    const [changed] = this.#changed;
    if (changed) this.#changed.delete(changed);
    return changed;
  }

  /** It could not be stored. */
  putBackChanged(endpoint: LaneEndpoint): void {
    this.#changed.add(endpoint);
  }

  /**
   * What to read next. A full window alternates between urgent deliveries and endpoints that have none in it, so that nobody
   * is kept out by the backlog of others. Endpoints that wait for their rate, or have enough, take nothing from the others' share.
   */
  nextRead(slots: readonly number[], nowMs: number): LaneRead {
    const isFull = this.buffered >= MAX_BUFFERED;
    if (isFull) this.#isUrgentTurn = !this.#isUrgentTurn;
    const isUrgentOnly = isFull && this.#isUrgentTurn;
    const unproven = this.#sum((endpoint) => (endpoint.isProven ? 0 : endpoint.waiting + endpoint.inFlight));
    const wanted = new Map([...this.#active.values()].map((endpoint) => [endpoint, endpoint.readLimit(nowMs)]));
    const takers = [...wanted.values()].filter((limit) => limit > 0).length;
    const share = Math.max(1, Math.floor((MAX_BUFFERED - this.buffered) / Math.max(1, takers)));
    const unprovenShare = unproven >= MAX_UNPROVEN_BUFFERED ? 1 : FIRST_LIMIT;
    const limits = new Map<string, number>();
    for (const [endpoint, limit] of wanted) {
      const allowed = endpoint.isProven ? share : Math.min(share, unprovenShare);
      const whenFull = isUrgentOnly || endpoint.waitingOthers === 0 ? 1 : 0;
      limits.set(endpoint.id, Math.min(limit, isFull ? whenFull : allowed));
    }
    return {
      slots,
      after: this.#after,
      maxEndpoints: MAX_ENDPOINTS_PER_READ,
      limits,
      defaultLimit: isFull ? 1 : unprovenShare,
      maxPriority: isUrgentOnly ? URGENT_PRIORITY : DELIVERY_PRIORITIES.replayed,
      exclude: [...this.#refused, ...this.#unrecorded, ...[...this.#active.values()].flatMap(({ ids }) => ids)],
    };
  }

  /**
   * Adds what was read: first one delivery of each endpoint that has none, then more within the share of each merchant.
   * Returns how many can be started or wait for their turn.
   */
  add({ endpoints, next }: { endpoints: readonly WaitingEndpoint[]; next: string | null }, nowMs: number): number {
    this.#after = next ?? FIRST_ID;
    const read = endpoints.map((stored) => ({ stored, endpoint: this.#endpointOf(stored.id) }));
    for (const { stored, endpoint } of read) {
      endpoint.update(stored, nowMs);
      if (endpoint.waiting + endpoint.inFlight === 0) this.#active.delete(endpoint.id);
    }
    let added = 0;
    for (const { stored, endpoint } of read) {
      if (endpoint.waitingOthers === 0) added += this.#take(endpoint, stored.deliveries.slice(0, 1), MAX_WITH_EXTRA, nowMs);
    }
    const merchants = new Set([...this.#active.values()].map(({ merchantId }) => merchantId)).size;
    const share = Math.max(FIRST_LIMIT, Math.floor(MAX_BUFFERED / Math.max(1, merchants)));
    const byMerchant = this.#byMerchant(({ waitingOthers, inFlight }) => waitingOthers + inFlight);
    for (const { stored, endpoint } of read) {
      const known = new Set(endpoint.ids);
      const rest = stored.deliveries.filter(({ id }) => !known.has(id));
      const isUrgent = (rest[0]?.priority ?? Number.POSITIVE_INFINITY) <= URGENT_PRIORITY;
      const buffered = byMerchant.get(endpoint.merchantId) ?? 0;
      const free = isUrgent ? MAX_EXTRA : Math.max(0, share - buffered);
      const taken = this.#take(endpoint, rest.slice(0, free), isUrgent ? MAX_WITH_EXTRA : MAX_BUFFERED, nowMs);
      byMerchant.set(endpoint.merchantId, buffered + taken);
      added += taken;
    }
    return added;
  }

  /**
   * The next deliveries to start, at most `limit`: urgent ones first, then those of the merchants, and the endpoints, with the
   * fewest attempts in flight.
   */
  start(limit: number, nowMs: number, mayStart: (endpoint: LaneEndpoint) => boolean = () => true): InFlight[] {
    const started: InFlight[] = [];
    const byMerchant = this.#byMerchant(({ inFlight }) => inFlight);
    const perMerchant = byMerchant.size > 1 ? MAX_IN_FLIGHT / 2 : MAX_IN_FLIGHT;
    let unproven = this.unprovenInFlight;
    const isAllowed = (endpoint: LaneEndpoint): boolean =>
      endpoint.mayStart(nowMs) &&
      (endpoint.nextPriority < DELIVERY_PRIORITIES.replayed || this.#inFlight < MAX_IN_FLIGHT * REPLAYED_SHARE) &&
      (endpoint.isProven || unproven < MAX_UNPROVEN_IN_FLIGHT) &&
      (byMerchant.get(endpoint.merchantId) ?? 0) < perMerchant &&
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
      const delivery = next?.start(nowMs);
      if (!next || !delivery) break;
      this.#unrecorded.add(delivery.id);
      this.#inFlight += 1;
      byMerchant.set(next.merchantId, busyOf(next) + 1);
      if (!next.isProven) unproven += 1;
      started.push({ delivery, wasProbe });
    }
    return started;
  }

  /** The attempt got its outcome. Its delivery stays in memory until `forget`. */
  finish({ delivery, wasProbe }: InFlight, outcome: AttemptOutcome, nowMs: number): void {
    const endpoint = this.#endpointOf(delivery.endpointId);
    const { succeeded, minWaitMs, error = null, httpStatus = null, url = null } = outcome;
    if (succeeded) endpoint.succeeded(nowMs);
    else endpoint.failed(nowMs, { minWaitMs, wasProbe }, { error, httpStatus, url });
    if (endpoint.isChanged) this.#changed.add(endpoint);
    this.#leave(endpoint);
  }

  /** Whether the attempt was started is not known: the delivery is read again. */
  drop({ delivery }: InFlight): void {
    this.#leave(this.#endpointOf(delivery.endpointId));
    this.forget(delivery);
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
  forget({ id }: WaitingDelivery): void {
    this.#unrecorded.delete(id);
  }

  /** An empty window that keeps what this one learned about endpoints. */
  renewed(): LaneWindow {
    const next = new LaneWindow();
    for (const [id, endpoint] of [...this.#endpoints.entries()].reverse()) {
      const renewed = endpoint.renewed();
      next.#endpoints.set(id, renewed);
      if (renewed.isChanged) next.#changed.add(renewed);
    }
    return next;
  }

  #take(endpoint: LaneEndpoint, deliveries: readonly WaitingDelivery[], maxBuffered: number, nowMs: number): number {
    const chosen = endpoint.choose(deliveries, MAX_REPLAYED_BUFFERED - this.#sum(({ replayed }) => replayed), nowMs);
    const taken = chosen.slice(0, Math.max(0, maxBuffered - this.buffered));
    if (taken.length === 0) return 0;
    endpoint.add(taken);
    this.#active.set(endpoint.id, endpoint);
    return taken.length;
  }

  #byMerchant(amountOf: (endpoint: LaneEndpoint) => number): Map<string, number> {
    const amounts = new Map<string, number>();
    for (const endpoint of this.#active.values()) {
      amounts.set(endpoint.merchantId, (amounts.get(endpoint.merchantId) ?? 0) + amountOf(endpoint));
    }
    return amounts;
  }

  #leave(endpoint: LaneEndpoint): void {
    this.#inFlight -= 1;
    endpoint.inFlight -= 1;
    if (endpoint.waiting + endpoint.inFlight === 0) this.#active.delete(endpoint.id);
  }

  #endpointOf(id: string): LaneEndpoint {
    const known = this.#active.get(id) ?? this.#endpoints.get(id);
    if (known) return known;
    const endpoint = new LaneEndpoint(id);
    this.#endpoints.set(id, endpoint);
    return endpoint;
  }

  #sum(amountOf: (endpoint: LaneEndpoint) => number): number {
    let sum = 0;
    for (const endpoint of this.#active.values()) sum += amountOf(endpoint);
    return sum;
  }
}
