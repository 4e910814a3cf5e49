import { WebhookAttemptSchema, WebhookLaneSchema } from './webhook-attempt.entity.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { EventOrderSchema, WebhookEventSchema, WebhookSubjectSchema } from './webhook-event.entity.ts';
import { WebhookReplay } from './webhook-replay.entity.ts';
import { WebhookSecret } from './webhook-secret.entity.ts';

export { classifyAttempt } from './classify-attempt.ts';
export { eraseEvents, eraseExcerpts } from './erase-events.ts';
export { LaneTakenOver } from './lanes/lane-drain.ts';
export { createLaneDrainer } from './lanes/lane-drainer.ts';
export { findLaneCount } from './lanes/lanes.queries.ts';
export type { DeliveryStep } from './prepare-attempt.ts';
export { fanOutEvent } from './record-event.ts';
export { cancelExpiredDeliveries, deleteExpiredRows, dropExpiredPartition } from './retention.ts';
export { type DeliverySchedule, STANDARD_SCHEDULE } from './schedule.ts';
export { unfinishedWebhooks } from './unfinished-webhooks.ts';
export { changeLaneCount } from './use-cases/change-lane-count.ts';
export { finishDeliveryAttempt } from './use-cases/finish-delivery-attempt.ts';
export { replayNextEvents } from './use-cases/replay-next-events.ts';
export { startDeliveryAttempt } from './use-cases/start-delivery-attempt.ts';
export { envelopeExample } from './webhooks.examples.ts';
export { envelopeSchema } from './webhooks.wire.ts';

export const WEBHOOK_ENTITIES = [
  WebhookEndpoint,
  WebhookSecret,
  EventOrderSchema,
  WebhookEventSchema,
  WebhookSubjectSchema,
  WebhookDelivery,
  WebhookLaneSchema,
  WebhookAttemptSchema,
  WebhookReplay,
];
