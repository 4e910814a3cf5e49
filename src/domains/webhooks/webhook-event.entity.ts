import { defineEntity, p } from '@mikro-orm/core';
import type { EventType } from '../../contracts/events.ts';

/** Partitioned by the month of its id. */
export const WebhookEventSchema = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_event',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid().nullable(),
    type: p.text().$type<EventType>(),
    schemaVersion: p.integer(),
    test: p.boolean().default(false),
    /** Has an extended type: listed on request only. */
    extended: p.boolean().default(false),
    body: p.blob().$type<Buffer>(),
    occurredAt: p.datetime(3),
    /** Place in the list of events, together with the id. */
    position: p.bigint('number').defaultRaw('next_event_position()'),
  },
});

/** What events are about, and how many were recorded of each. */
export const WebhookSubjectSchema = defineEntity({
  name: 'WebhookSubject',
  tableName: 'webhook_subject',
  properties: {
    id: p.uuid().primary(),
    sequence: p.integer(),
  },
});

/** In another cluster, `ahead` is added to the numbers of transactions, which start again there. */
export const EventOrderSchema = defineEntity({
  name: 'EventOrder',
  tableName: 'event_order',
  properties: {
    /** Too large for a number. */
    cluster: p.bigint('string').primary().autoincrement(false),
    ahead: p.bigint('number'),
  },
});
