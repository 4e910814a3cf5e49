import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { WebhookSecret } from './webhook-secret.entity.ts';

export { type DeliverySchedule, STANDARD_SCHEDULE } from './schedule.ts';
export { announceEvent } from './use-cases/announce-event.ts';
export { finishAttempt } from './use-cases/finish-attempt.ts';
export { type DeliveryStep, startAttempt } from './use-cases/start-attempt.ts';

export const WEBHOOK_ENTITIES = [WebhookEndpoint, WebhookSecret, WebhookDelivery];
