import type { Clock } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { closeWaitingDeliveries } from '../use-cases/close-waiting-deliveries.ts';
import { storeCircuitBreaker } from '../use-cases/store-circuit-breaker.ts';
import { unparkDeliveries } from '../use-cases/unpark-deliveries.ts';
import type { LaneEndpoint } from './lane-endpoint.ts';
import type { LaneWindow } from './lane-window.ts';

/** Deliveries that are unparked or closed in one transaction. */
const CHUNK = 500;

export interface LaneUpkeepOptions {
  context(name: string): Context;
  clock: Clock;
  window: LaneWindow;
}

/** What a lane does besides sending: it follows endpoints that were disabled, deleted or enabled, and stores breakers. */
export class LaneUpkeep {
  readonly #options: LaneUpkeepOptions;
  #closing = new Set<string>();
  #unparking: readonly string[] = [];

  constructor(options: LaneUpkeepOptions) {
    this.#options = options;
  }

  /** Deliveries wait for this endpoint, which is disabled or deleted. */
  close(endpointId: string): void {
    this.#closing.add(endpointId);
  }

  /** These endpoints were enabled or deleted and have parked deliveries. */
  unpark(endpointIds: readonly string[]): void {
    this.#unparking = endpointIds;
  }

  /** One chunk for each endpoint. Returns whether the waiting deliveries changed. */
  async run(): Promise<boolean> {
    const { context } = this.#options;
    const closing = this.#closing;
    const unparking = this.#unparking;
    this.#closing = new Set();
    this.#unparking = [];
    for (const endpointId of closing) await closeWaitingDeliveries(context('drainLane'), { endpointId, limit: CHUNK });
    for (const endpointId of unparking) await unparkDeliveries(context('drainLane'), { endpointId, limit: CHUNK });
    return closing.size + unparking.length > 0;
  }

  /** Also while the lane ends: the next owner continues with what is stored. */
  async storeBreakers(): Promise<void> {
    const { window } = this.#options;
    for (let endpoint = window.takeChanged(); endpoint; endpoint = window.takeChanged()) {
      try {
        await this.#store(endpoint);
      } catch (error) {
        window.putBackChanged(endpoint);
        throw error;
      }
    }
  }

  async #store(endpoint: LaneEndpoint): Promise<void> {
    const { state } = endpoint.breaker;
    const ctx = this.#options.context('drainLane');
    ctx.log.warn({ endpointId: endpoint.id, ...state }, 'circuit breaker of a webhook endpoint changed');
    const { url, ...lastFailure } = endpoint.lastFailure;
    await storeCircuitBreaker(ctx, { endpointId: endpoint.id, state, lastFailure, url });
    if (endpoint.breaker.state === state) endpoint.isChanged = false;
  }
}
