import { ApplicationFailure, Context, heartbeat } from '@temporalio/activity';
import type { LaneActivities } from '../src/contracts/webhooks.ts';
import { createLaneDrainer, LaneTakenOver } from '../src/domains/webhooks/index.ts';
import { translated } from './support/failures.ts';
import type { WebhookRuntime } from './webhooks.ts';

export interface LaneRuntime extends WebhookRuntime {
  /** Aborted when the process stops. */
  stopping: AbortSignal;
  runMs?: number;
}

/** Retried, in case that the other process stops. */
const toFailure = (error: unknown): unknown =>
  error instanceof LaneTakenOver
    ? ApplicationFailure.create({ type: error.name, message: error.message, category: 'BENIGN' })
    : error;

export const laneActivities = (runtime: LaneRuntime): LaneActivities => {
  const lanes = createLaneDrainer(runtime);
  const activities: LaneActivities = {
    /** Two can run for a moment, in two processes: only the newer one starts attempts. */
    async drainLane({ lane, isIdle = false }) {
      const stopping = AbortSignal.any([runtime.stopping, Context.current().cancellationSignal]);
      return lanes.drain(lane, { isIdle, stopping, onProgress: () => heartbeat() }).catch((error: unknown) => {
        throw toFailure(error);
      });
    },
  };
  return translated(() => runtime.context('activity').log, activities, { heartbeats: false });
};
