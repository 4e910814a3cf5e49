import { classifyAttempt } from './classify-attempt.ts';
import { UNFINISHED_DELIVERIES } from './unfinished-deliveries.ts';
import { UNFINISHED_REPLAYS } from './unfinished-replays.ts';
import { UNFINISHED_RESENDS } from './unfinished-resends.ts';
import { cancelExpiredDeliveries } from './use-cases/cancel-expired-deliveries.ts';
import { deleteExpiredRows } from './use-cases/delete-expired-rows.ts';
import { dropExpiredPartition } from './use-cases/drop-expired-partition.ts';
import { finishDeliveryAttempt } from './use-cases/finish-delivery-attempt.ts';
import { replayNextEvents } from './use-cases/replay-next-events.ts';
import { startDeliveryAttempt } from './use-cases/start-delivery-attempt.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { WebhookReplay } from './webhook-replay.entity.ts';
import { WebhookSecret } from './webhook-secret.entity.ts';

export type { DeliveryStep } from './delivery-step.ts';
export { fanOutEvent } from './fan-out-event.ts';
export { LaneTakenOver } from './lanes/lane-drain.ts';
export { createLaneDrainer } from './lanes/lane-drainer.ts';
export { findLaneCount } from './lanes/lanes.queries.ts';
export { type DeliverySchedule, STANDARD_SCHEDULE } from './schedule.ts';
export { changeLaneCount } from './use-cases/change-lane-count.ts';
export { envelopeExample } from './webhooks.examples.ts';
export { envelopeSchema } from './webhooks.wire.ts';

/** What the workflows of deliveries and replays carry out, one transaction each. */
export const DELIVERY_STEPS = { startDeliveryAttempt, finishDeliveryAttempt, classifyAttempt, replayNextEvents };
export const UNFINISHED_WEBHOOKS = [UNFINISHED_DELIVERIES, UNFINISHED_RESENDS, UNFINISHED_REPLAYS];
export const WEBHOOK_RETENTION = { cancelExpiredDeliveries, deleteExpiredRows, dropExpiredPartition };
export const WEBHOOK_ENTITIES = [WebhookEndpoint, WebhookSecret, WebhookDelivery, WebhookReplay];
