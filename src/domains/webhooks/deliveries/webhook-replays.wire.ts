import { z } from 'zod';
import { REPLAY_CANCEL_REASONS, REPLAY_STATES, REPLAYED_STATUSES } from '../../../contracts/webhooks.ts';
import { type Stored, toIso, toIsoOrNull } from '../../../platform/database/sql.ts';
import { createdAt, id } from '../../../platform/http/fields.ts';
import { instant, timestamp, timestampOrNull } from '../../../platform/http/schemas.ts';
import { eventType } from '../events/event-types.wire.ts';
import { deliverySchema } from '../webhooks.wire.ts';

const status = z.array(z.enum(REPLAYED_STATUSES)).min(1).max(REPLAYED_STATUSES.length).describe('What is sent: see the request');
const types = z.array(eventType).min(1).max(100).describe('Types of the events that are sent');

export const replayEndpointBody = z.strictObject({
  since: instant.describe('Events from this time on, which must be in the past. Events are kept for 90 days'),
  until: instant.optional().describe('Events up to this time, which must not be in the future. Default: now'),
  status: status
    .optional()
    .describe(
      'What is sent. `missing`: events without a delivery to the endpoint. `exhausted`: all attempts failed. `succeeded`: again, although the endpoint accepted them. Default: `missing` and `exhausted`',
    ),
  types: types
    .optional()
    .describe('Only events of these types, to which the endpoint must subscribe. Default: all types to which it subscribes'),
});

export const replaySchema = z
  .object({
    id,
    endpointId: deliverySchema.shape.endpointId,
    since: timestamp.describe('Events from this time on'),
    until: timestamp.describe('Events up to this time'),
    status,
    types,
    state: z.enum(REPLAY_STATES).describe('`running` until all deliveries are queued'),
    cancelReason: z.enum(REPLAY_CANCEL_REASONS).nullable().describe('Why the replay was cancelled; null if it was not'),
    eventsExamined: z.int().describe('Events of your account that were examined so far'),
    deliveriesQueued: z.int().describe('Deliveries that were created or queued again so far'),
    createdAt,
    completedAt: timestampOrNull.describe('When the replay was completed or cancelled; null while it is running'),
  })
  .meta({ id: 'WebhookReplay' });

export type ReplayView = z.infer<typeof replaySchema>;

export type StoredReplay = Stored<Omit<ReplayView, 'status'>, 'since' | 'until' | 'createdAt' | 'completedAt'> & {
  statuses: ReplayView['status'];
};

export const toReplay = (replay: StoredReplay): ReplayView => ({
  id: replay.id,
  endpointId: replay.endpointId,
  since: toIso(replay.since),
  until: toIso(replay.until),
  status: replay.statuses,
  types: replay.types,
  state: replay.state,
  cancelReason: replay.cancelReason ?? null,
  eventsExamined: replay.eventsExamined,
  deliveriesQueued: replay.deliveriesQueued,
  createdAt: toIso(replay.createdAt),
  completedAt: toIsoOrNull(replay.completedAt),
});
