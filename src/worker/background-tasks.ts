import type { Config } from '../config.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { forkOf } from '../platform/database/orm.ts';
import { ensurePartitions } from '../platform/database/partitions.ts';
import { deleteExpiredIdempotencyRecords } from '../platform/idempotency/idempotency.ts';
import { repeat } from '../platform/repeat.ts';
import type { Reconciler } from '../relay/reconciler.ts';
import type { TemporalClient } from '../relay/temporal-client.ts';
import type { Runtime } from '../runtime.ts';
import { ensureSchedules, releaseIfDue, removeFormerSchedules } from './schedules.ts';
import { searchAttributesEnsurer } from './search-attributes.ts';
import { ensureWebhookLanes } from './webhook-lanes.ts';

export interface BackgroundTasksInput {
  runtime: Runtime;
  config: Config;
  temporal: TemporalClient;
  /** Null in a process without the relay role. */
  reconciler: Reconciler | null;
  reconcileEveryMs: number;
}

const ADD_UP_CLICKS_MS = 3 * SECOND_MS;
const ADD_UP_CONVERSIONS_MS = 3 * SECOND_MS;
const REFRESH_MARKETPLACE_MS = 3 * SECOND_MS;
const WRITE_RESOURCE_MAILS_MS = 3 * SECOND_MS;

/** Starts what a worker repeats beside its workflows. Returns a function that stops it. */
export const startBackgroundTasks = (input: BackgroundTasksInput): (() => void) => {
  const { runtime, config, temporal, reconciler, reconcileEveryMs } = input;
  const { log } = runtime;
  const stops = [
    startReleases(input),
    repeat(HOUR_MS, log, 'removing former schedules', () =>
      removeFormerSchedules(temporal.client, { queuePrefix: input.config.TEMPORAL_QUEUE_PREFIX }),
    ),
    // Again and again: after Temporal lost its store, no workflow can start without them.
    repeat(reconcileEveryMs, log, 'ensuring search attributes', searchAttributesEnsurer(temporal, log)),
    repeat(reconcileEveryMs, log, 'ensuring webhook lanes', () =>
      ensureWebhookLanes(temporal.client, { queuePrefix: config.TEMPORAL_QUEUE_PREFIX }),
    ),
    // Needed once a month, three months ahead. A loop, so that it does not depend on Temporal.
    repeat(HOUR_MS, log, 'creating partitions', () => ensurePartitions(forkOf(runtime.orm))),
    repeat(MINUTE_MS, log, 'deleting expired idempotency records', () =>
      deleteExpiredIdempotencyRecords(systemContext(runtime, 'housekeeping')),
    ),
  ];
  if (reconciler) {
    stops.push(
      repeat(reconcileEveryMs, log, 'reconciling workflows', () => reconciler.round()),
      repeat(HOUR_MS, log, 'raising trust', () => runtime.raiseTrust(systemContext(runtime, 'trust'))),
      repeat(ADD_UP_CLICKS_MS, log, 'adding up clicks', () => runtime.addUpClicks(systemContext(runtime, 'clicks'))),
      repeat(ADD_UP_CONVERSIONS_MS, log, 'adding up conversions', () =>
        runtime.addUpConversions(systemContext(runtime, 'conversions')),
      ),
      repeat(REFRESH_MARKETPLACE_MS, log, 'refreshing the marketplace', () =>
        runtime.refreshMarketplace(systemContext(runtime, 'marketplace')),
      ),
      repeat(WRITE_RESOURCE_MAILS_MS, log, 'notifying affiliates of resources', () =>
        runtime.writeResourceMails(systemContext(runtime, 'resourceMails')),
      ),
      repeat(MINUTE_MS, log, 'removing files', () => runtime.removeDiscardedFiles(systemContext(runtime, 'files'))),
    );
  }
  return () => {
    for (const stop of stops) stop();
  };
};

/** The Schedules are ensured every minute, and due commissions are looked for as often as configured. */
const startReleases = ({ runtime, config, temporal: { client } }: BackgroundTasksInput): (() => void) => {
  const queuePrefix = config.TEMPORAL_QUEUE_PREFIX;
  const intervalMs = config.COMMISSION_RELEASE_INTERVAL_SECONDS * SECOND_MS;
  const isDue = () => runtime.isReleaseDue(systemContext(runtime, 'commissionRelease'));
  let nextReleaseMs = 0;
  return repeat(Math.min(intervalMs, MINUTE_MS), runtime.log, 'ensuring schedules', async () => {
    await ensureSchedules(client, { queuePrefix });
    if (Date.now() < nextReleaseMs) return;
    await releaseIfDue(client, { queuePrefix, isDue });
    nextReleaseMs = Date.now() + intervalMs;
  });
};

const systemContext = (runtime: Runtime, name: string): Context => runtime.context({ kind: 'system', name });
