import { defineEntity, p } from '@mikro-orm/core';
import type { EventType } from '../../contracts/events.ts';
import {
  REPLAY_CANCEL_REASONS,
  REPLAY_STATES,
  type ReplayCancelReason,
  type ReplayedStatus,
  type ReplayProgress,
} from '../../contracts/webhooks.ts';

export const WebhookReplaySchema = defineEntity({
  name: 'WebhookReplay',
  tableName: 'webhook_replay',
  properties: {
    id: p.uuid().primary(),
    endpointId: p.uuid(),
    merchantId: p.uuid(),
    /** Events from this time on. */
    since: p.datetime(3),
    /** Events up to this time. */
    until: p.datetime(3),
    types: p.array().$type<EventType[]>(),
    statuses: p.array().$type<ReplayedStatus[]>(),
    state: p.enum(REPLAY_STATES).onCreate(() => 'running'),
    cancelReason: p.enum(REPLAY_CANCEL_REASONS).nullable(),
    /** The last event that was examined. */
    lastEventId: p.uuid(),
    eventsExamined: p.integer().default(0),
    deliveriesQueued: p.integer().default(0),
    /** End of the range in the list of events: only events of transactions that began to write earlier are examined. */
    position: p.bigint('number').defaultRaw('next_event_position()'),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
  },
});

/** Events of a time span that are sent to one endpoint again. Changed only while its row is locked. */
export class WebhookReplay extends WebhookReplaySchema.class {
  advance(page: { examined: number; queued: number; lastEventId: string | null }, at: Date): void {
    this.eventsExamined += page.examined;
    this.deliveriesQueued += page.queued;
    this.lastEventId = page.lastEventId ?? this.lastEventId;
    this.updatedAt = at;
  }

  complete(at: Date): void {
    this.state = 'completed';
    this.completedAt = at;
    this.updatedAt = at;
  }

  cancel(reason: ReplayCancelReason, at: Date): void {
    this.state = 'cancelled';
    this.cancelReason = reason;
    this.completedAt = at;
    this.updatedAt = at;
  }

  progress(waitMs = 0): ReplayProgress {
    const { state, cancelReason = null, eventsExamined, deliveriesQueued } = this;
    return { state, cancelReason, eventsExamined, deliveriesQueued, waitMs };
  }
}

WebhookReplaySchema.setClass(WebhookReplay);
