import { z } from 'zod';
import { REPLAY_CANCEL_REASONS, REPLAY_STATES, REPLAYED_STATUSES } from '../../contracts/webhooks.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { instant, storedUuid, timestamp } from '../../platform/http/schemas.ts';
import { eventType } from './webhooks.wire.ts';

const status = z.array(z.enum(REPLAYED_STATUSES)).min(1).max(REPLAYED_STATUSES.length);
const types = z.array(eventType).min(1).max(100);

export const replayEndpointBody = z.strictObject({
  since: instant,
  until: instant.optional(),
  status: status.optional(),
  types: types.optional(),
});

export const replaySchema = z
  .object({
    id: storedUuid,
    endpointId: storedUuid,
    since: timestamp,
    until: timestamp,
    status,
    types,
    state: z.enum(REPLAY_STATES),
    cancelReason: z.enum(REPLAY_CANCEL_REASONS).nullable(),
    eventsExamined: z.int(),
    deliveriesQueued: z.int(),
    createdAt: timestamp,
    completedAt: timestamp.nullable(),
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
