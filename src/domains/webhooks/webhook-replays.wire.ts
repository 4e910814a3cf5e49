import { z } from 'zod';
import { REPLAY_CANCEL_REASONS, REPLAY_STATES, REPLAYED_STATUSES } from '../../contracts/webhooks.ts';
import { instant, timestamp, uuid } from '../../platform/http/schemas.ts';
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
    id: uuid,
    endpointId: uuid,
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

/** A replay as an entity or as a row, which represent times differently. */
export interface ReplayLike
  extends Omit<ReplayView, 'status' | 'since' | 'until' | 'cancelReason' | 'createdAt' | 'completedAt'> {
  statuses: ReplayView['status'];
  since: Date | string;
  until: Date | string;
  cancelReason?: ReplayView['cancelReason'] | undefined;
  createdAt: Date | string;
  completedAt?: Date | string | null | undefined;
}

const iso = (time: Date | string): string => new Date(time).toISOString();

export const toReplay = (replay: ReplayLike): ReplayView => ({
  id: replay.id,
  endpointId: replay.endpointId,
  since: iso(replay.since),
  until: iso(replay.until),
  status: replay.statuses,
  types: replay.types,
  state: replay.state,
  cancelReason: replay.cancelReason ?? null,
  eventsExamined: replay.eventsExamined,
  deliveriesQueued: replay.deliveriesQueued,
  createdAt: iso(replay.createdAt),
  completedAt: replay.completedAt ? iso(replay.completedAt) : null,
});
