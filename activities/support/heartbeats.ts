import { heartbeat } from '@temporalio/activity';
import { SECOND_MS } from '../../src/platform/clock.ts';

/** Well below every heartbeat timeout of `workflows/support/activities.ts`. The SDK sends less if that is enough. */
const INTERVAL_MS = 4 * SECOND_MS;

/**
 * Reports that the running activity is alive until the returned function is called. Temporal then gives the step of a dead
 * worker to another one without waiting for its whole timeout. An activity that ends within the interval reports nothing.
 */
export const startHeartbeats = (intervalMs = INTERVAL_MS): (() => void) => {
  const timer = setInterval(() => heartbeat(), intervalMs);
  return () => clearInterval(timer);
};
