import { ActivityFailure, setCurrentDetails, TimeoutFailure } from '@temporalio/workflow';
import {
  type DeliveryEnd,
  type DeliveryInput,
  type DeliveryResult,
  isResend,
  type WebhookActivities,
} from '../src/contracts/webhooks.ts';
import { QUEUES } from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { delivery } from './support/activity-options.ts';

/** Receivers may request a day before each attempt, so a delivery can outlast one schedule-to-close timeout. */
const MAX_ACTIVITY_RUNS = 5;

const END_TEXTS: Readonly<Record<DeliveryEnd, string>> = {
  succeeded: 'Delivered',
  exhausted: 'Given up: the receiver did not accept it in any scheduled attempt',
  parked: 'Paused with its endpoint: POST /webhooks/{id}/enable continues it',
  cancelled: 'Cancelled: the endpoint was deleted',
  closed: 'Nothing to send',
  failed: 'Not accepted, and scheduled attempts are not affected. POST /webhook-deliveries/{id}/resend sends it again',
  not_sent: 'Not sent: the endpoint was disabled or deleted',
};

const SENDING = '**Sending**. The pending activity shows the last attempt, why it failed, and when the next one is due.';
const SENDING_ONCE = '**Sending once**, as requested. Scheduled attempts are not affected unless the receiver accepts this one.';

const isTimedOut = (error: unknown): boolean =>
  error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);

/**
 * Delivers one event to one endpoint. The schedule is the retries of one activity, so that a long wait adds no history and
 * a changed schedule applies at once. All state is in the delivery's row.
 */
export async function webhookDelivery(input: DeliveryInput): Promise<DeliveryResult> {
  const { attemptDelivery } = activitiesOn<WebhookActivities>(QUEUES.webhooks, delivery);
  setCurrentDetails(`${isResend(input) ? SENDING_ONCE : SENDING} All attempts: GET /webhook-deliveries/${input.deliveryId}`);
  for (let run = 1; ; run += 1) {
    try {
      const summary = isResend(input) ? 'Send the event once' : 'Send the event until the receiver accepts it';
      const result = await attemptDelivery.executeWithOptions({ summary }, [input]);
      setCurrentDetails(`**${END_TEXTS[result.end]}**. Attempts so far: ${result.attempts}`);
      return result;
    } catch (error) {
      if (!isTimedOut(error) || run === MAX_ACTIVITY_RUNS) throw error;
    }
  }
}
