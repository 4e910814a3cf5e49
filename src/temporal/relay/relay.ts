import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../platform/clock.ts';
import type { Orm } from '../../platform/database/orm.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Dispatch } from './dispatch.ts';
import { dispatchLease, type Route } from './dispatch-lease.ts';
import { createLeases, type Lease } from './leases.ts';
import { routeOf } from './routing.ts';

export interface RelayOptions {
  orm: Orm;
  ids: Ids;
  log: Logger;
  dispatch: Dispatch;
  route?: Route;
  /** Rows leased at once. */
  batch?: number;
  /** Rows of a batch that are dispatched at the same time. */
  concurrency?: number;
  pollMs?: number;
  /** How long leased rows belong to this relay. */
  leaseMs?: number;
  /** Called after each round with the number of finished rows. */
  onRound?: (finished: number) => void;
}

const ERROR_PAUSE_MS = SECOND_MS;

export interface Relay {
  /** Leases one batch and dispatches it. Returns the number of finished rows. */
  round(): Promise<number>;
  /** Runs rounds until `stop`: without a pause while batches are full, otherwise every `pollMs`. Never rejects. */
  run(): Promise<void>;
  /** Leased rows that are not yet dispatched are given up. */
  stop(): void;
}

/**
 * Dispatches each outbox row at least once, the most urgent first. Rows of a batch are dispatched in no guaranteed order, but
 * one row never twice at the same time within its lease. No transaction is open during a network call.
 */
export const createRelay = (options: RelayOptions): Relay => {
  const { log, dispatch, batch = 100, concurrency = 32, pollMs = 100, leaseMs, route = routeOf } = options;
  const leases = createLeases(options, { batch, leaseMs });
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  const relayLease = async (lease: Lease): Promise<{ finished: number; isOutage: boolean }> => {
    if (lease.rows.length === 0) return { finished: 0, isOutage: false };
    faultPoint('relay:after-claim');
    const { result, isOutage } = await dispatchLease({ dispatch, route, log, concurrency, signal }, lease);
    await leases.finish(lease, result);
    return { finished: result.done.length, isOutage };
  };

  return {
    round: async () => (await relayLease(await leases.next())).finished,
    async run() {
      let ahead: Promise<Lease> | null = null;
      while (!signal.aborted || ahead !== null) {
        try {
          const lease: Lease = await (ahead ?? leases.next());
          // The next batch is leased while this one is dispatched.
          ahead = lease.isFull && !signal.aborted ? leases.next() : null;
          ahead?.catch(() => {});
          const { finished, isOutage } = await relayLease(lease);
          options.onRound?.(finished);
          if (isOutage) await pause(ERROR_PAUSE_MS);
          else if (!lease.isFull) await pause(pollMs);
        } catch (err) {
          log.error({ err }, 'relay round failed');
          ahead = null;
          await pause(ERROR_PAUSE_MS);
        }
      }
    },
    stop: () => stopping.abort(),
  };
};
