import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../platform/clock.ts';
import type { Orm } from '../platform/database/orm.ts';
import { faultPoint } from '../platform/fault-points.ts';
import type { Ids } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { type Claim, createClaims } from './claims.ts';
import type { Dispatch } from './dispatch.ts';
import { dispatchClaim, type Route } from './dispatch-claim.ts';
import { routeOf } from './routing.ts';

export interface RelayOptions {
  orm: Orm;
  ids: Ids;
  log: Logger;
  dispatch: Dispatch;
  route?: Route;
  /** Rows claimed at once. */
  batch?: number;
  /** Rows of a batch that are dispatched at the same time. */
  concurrency?: number;
  pollMs?: number;
  /** How long claimed rows belong to this relay. */
  leaseMs?: number;
  /** Called after each round with the number of finished rows. */
  onRound?: (finished: number) => void;
}

const ERROR_PAUSE_MS = SECOND_MS;

export interface Relay {
  /** Claims one batch and dispatches it. Returns the number of finished rows. */
  round(): Promise<number>;
  /** Runs rounds until `stop`: without a pause while batches are full, otherwise every `pollMs`. Never rejects. */
  run(): Promise<void>;
  /** Rows that are claimed but not yet dispatched are released. */
  stop(): void;
}

/**
 * Dispatches each outbox row at least once, the most urgent first. Rows of a batch are dispatched in no guaranteed order, but
 * one row never twice at the same time within its lease. No transaction is open during a network call.
 */
export const createRelay = (options: RelayOptions): Relay => {
  const { log, dispatch, batch = 100, concurrency = 32, pollMs = 100, leaseMs, route = routeOf } = options;
  const claims = createClaims(options, { batch, leaseMs });
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  const relayClaim = async (claim: Claim): Promise<{ finished: number; isOutage: boolean }> => {
    if (claim.rows.length === 0) return { finished: 0, isOutage: false };
    faultPoint('relay:after-claim');
    const { result, isOutage } = await dispatchClaim({ dispatch, route, log, concurrency, signal }, claim);
    await claims.settle(claim, result);
    return { finished: result.done.length, isOutage };
  };

  return {
    round: async () => (await relayClaim(await claims.next())).finished,
    async run() {
      let ahead: Promise<Claim> | null = null;
      while (!signal.aborted || ahead !== null) {
        try {
          const claim: Claim = await (ahead ?? claims.next());
          // The next batch is claimed while this one is dispatched.
          ahead = claim.isFull && !signal.aborted ? claims.next() : null;
          ahead?.catch(() => {});
          const { finished, isOutage } = await relayClaim(claim);
          options.onRound?.(finished);
          if (isOutage) await pause(ERROR_PAUSE_MS);
          else if (!claim.isFull) await pause(pollMs);
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
