import { defineEntity, p } from '@mikro-orm/core';
import type { EventType } from '../../contracts/events.ts';
import type { ReplayCancelReason, ReplayedStatus, ReplayProgress, ReplayState } from '../../contracts/webhooks.ts';

export const WebhookReplaySchema = defineEntity({
  name: 'WebhookReplay',
  tableName: 'webhook_replay',
  properties: {
    id: p.uuid().primary(),
    endpointId: p.uuid(),
    merchantId: p.uuid(),
    /** Events from this time on. */
    since: p.datetime(),
    /** Events up to this time. */
    until: p.datetime(),
    types: p.array().$type<EventType[]>(),
    statuses: p.array().$type<ReplayedStatus[]>(),
    state: p.string().$type<ReplayState>().default('running'),
    cancelReason: p.string().$type<ReplayCancelReason>().nullable(),
    /** The last event that was examined. */
    lastEventId: p.uuid(),
    eventsExamined: p.integer().default(0),
    deliveriesQueued: p.integer().default(0),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
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
