import { ActivityFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { DeliveryInput, DeliveryResult, WebhookActivities } from '../src/contracts/webhooks.ts';
import { delivery } from './support/activity-options.ts';

const { attemptDelivery } = proxyActivities<WebhookActivities>(delivery);

/** Receivers may request a day before each attempt, so a delivery can outlast one schedule-to-close timeout. */
const MAX_ACTIVITY_RUNS = 5;

const isTimedOut = (error: unknown): boolean =>
  error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);

/**
 * Delivers one event to one endpoint. The schedule is the retries of one activity, so that a long wait adds no history and
 * a changed schedule applies at once. All state is in the delivery's row.
 */
export async function webhookDelivery(input: DeliveryInput): Promise<DeliveryResult> {
  for (let run = 1; ; run += 1) {
    try {
      return await attemptDelivery(input);
    } catch (error) {
      if (!isTimedOut(error) || run === MAX_ACTIVITY_RUNS) throw error;
    }
  }
}
