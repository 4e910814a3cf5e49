import { ActivityFailure, ApplicationFailure, setCurrentDetails, TimeoutFailure } from '@temporalio/workflow';
import {
  DELIVERY_EXHAUSTED,
  type DeliveryInput,
  type DeliveryResult,
  isResend,
  type WebhookActivities,
} from '../src/contracts/webhooks.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { countOf } from '../src/contracts/workflows/text.ts';
import {
  describeEnd,
  describeSending,
  webhookDelivery as descriptor,
  givenUpAttributes,
} from '../src/contracts/workflows/webhook-delivery.ts';
import { activitiesOn, delivery } from './support/activities.ts';
import { endAsCopy, isCopy, type Superseded } from './support/copy.ts';
import { publish } from './support/publish.ts';

/** Receivers may request a day before each attempt, so a delivery can outlast one schedule-to-close timeout. */
const MAX_ACTIVITY_RUNS = 5;

const isTimedOut = (error: unknown): boolean =>
  error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);

/**
 * Delivers one event to one endpoint. The schedule is the retries of one activity, so that a long wait adds no history and
 * a changed schedule applies at once. All state is in the delivery's row.
 */
export async function webhookDelivery(input: DeliveryInput): Promise<DeliveryResult | Superseded> {
  const own = descriptor.id(input.deliveryId, input.suffix);
  if (isCopy(own)) return endAsCopy('delivery', own);
  const { attemptDelivery } = activitiesOn<WebhookActivities>(QUEUES.webhooks, delivery);
  setCurrentDetails(describeSending(input));
  for (let run = 1; ; run += 1) {
    try {
      const summary = isResend(input) ? 'Send the event once' : 'Send the event until the receiver accepts it';
      const result = await attemptDelivery.executeWithOptions({ summary }, [input]);
      setCurrentDetails(describeEnd(input, result));
      if (result.end === 'exhausted') giveUp(result);
      return result;
    } catch (error) {
      if (!isTimedOut(error) || run === MAX_ACTIVITY_RUNS) throw error;
    }
  }
}

/** Ends the workflow as Failed: the list shows it without a filter. */
const giveUp = (result: DeliveryResult): never => {
  publish(givenUpAttributes(result));
  const failure = ApplicationFailure.create({
    type: DELIVERY_EXHAUSTED,
    message: `The receiver did not accept the event in ${countOf(result.attempts, 'attempt')}`,
    nonRetryable: true,
    category: 'BENIGN',
    details: [result],
  });
  failure.stack = `${DELIVERY_EXHAUSTED}: ${failure.message}`;
  throw failure;
};
