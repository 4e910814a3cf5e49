import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { WebhookSecret } from './webhook-secret.entity.ts';

export { classifyAttempt } from './classify-attempt.ts';
export { fanOutEvent } from './fan-out-event.ts';
export { type DeliverySchedule, STANDARD_SCHEDULE } from './schedule.ts';
export { UNFINISHED_DELIVERIES } from './unfinished-deliveries.ts';
export { finishDeliveryAttempt } from './use-cases/finish-delivery-attempt.ts';
export { type DeliveryStep, startDeliveryAttempt } from './use-cases/start-delivery-attempt.ts';
export { envelopeExample } from './webhooks.examples.ts';
export { envelopeSchema } from './webhooks.wire.ts';

export const WEBHOOK_ENTITIES = [WebhookEndpoint, WebhookSecret, WebhookDelivery];
