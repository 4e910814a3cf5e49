import { ActivityFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { DeliveryInput, DeliveryResult, WebhookActivities } from '../src/contracts/webhooks.ts';
import { delivery } from './support/activity-options.ts';

const { attemptDelivery } = proxyActivities<WebhookActivities>(delivery);

/** Receivers may ask for a day before each try, so one fuse can burn in good order; five are more than enough. */
const MAX_TIMEOUTS = 5;

const isTimedOut = (error: unknown): boolean =>
  error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);

/**
 * Brings one event to one endpoint: one activity whose retries are the schedule, so that a wait of a day leaves no
 * history and a new schedule counts at once. The delivery's row holds the truth; here are ids only.
 */
export async function webhookDelivery(input: DeliveryInput): Promise<DeliveryResult> {
  for (let fuse = 1; ; fuse += 1) {
    try {
      return await attemptDelivery(input);
    } catch (error) {
      if (!isTimedOut(error) || fuse === MAX_TIMEOUTS) throw error;
    }
  }
}
