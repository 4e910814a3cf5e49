import { defineEntity, p } from '@mikro-orm/core';
import { DELIVERY_TRIGGERS, type DeliveryError } from '../../contracts/webhooks.ts';

/** Partitioned by the month of its delivery. */
export const WebhookAttemptSchema = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempt',
  properties: {
    deliveryId: p.uuid().primary(),
    n: p.integer().primary(),
    suffix: p.text(),
    /** The lane that made the attempt. */
    lane: p.smallint().nullable(),
    trigger: p.enum(DELIVERY_TRIGGERS),
    url: p.text(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
    outcome: p.enum(['succeeded', 'failed', 'unknown']).nullable(),
    httpStatus: p.integer().nullable(),
    errorCode: p.text().$type<DeliveryError>().nullable(),
    remoteIp: p.text().columnType('inet').nullable(),
    tls: p.text().nullable(),
    msDns: p.integer().nullable(),
    msConnect: p.integer().nullable(),
    msTls: p.integer().nullable(),
    msTtfb: p.integer().nullable(),
    msTotal: p.integer().nullable(),
    responseHeaders: p.json<Record<string, string>>().nullable(),
    responseExcerpt: p.blob().$type<Buffer>().nullable(),
    truncated: p.boolean().default(false),
    secretIds: p.array().columnType('uuid[]').defaultRaw("'{}'::uuid[]"),
  },
});

/** The epoch rises when a process takes over a lane. Attempts of lower epochs that have no outcome are lost. */
export const WebhookLaneSchema = defineEntity({
  name: 'WebhookLane',
  tableName: 'webhook_lane',
  properties: {
    lane: p.smallint().primary().autoincrement(false),
    epoch: p.bigint('number').default(0),
    /** The number of lanes; the same in each row. */
    lanes: p.smallint().default(8),
  },
});
