import { z } from 'zod';
import { EVENT_TYPES } from '../../contracts/events.ts';
import { DELIVERY_ERRORS, DELIVERY_STATUSES, DELIVERY_TRIGGERS, ENDPOINT_STATUSES } from '../../contracts/webhooks.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { line, timestamp, uuid } from '../../platform/http/schemas.ts';
import type { WebhookEndpoint } from './webhook-endpoint.entity.ts';

const eventType = z.enum(EVENT_TYPES).meta({ id: 'WebhookEventType' });
const url = z.string().min(1).max(2048).meta({ description: 'Receives the deliveries; https', format: 'uri' });
const subscribedEvents = z.array(eventType).min(1).max(100);
const wholeMs = z.int().nullable();

export const endpointSchema = z
  .object({
    id: uuid,
    name: z.string(),
    url: z.string().meta({ format: 'uri' }),
    status: z.enum(ENDPOINT_STATUSES),
    programId: uuid.nullable().meta({ description: 'Null: events of all programs' }),
    schemaVersion: z.literal(2),
    subscribedEvents: z.array(eventType),
    secretLastFour: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    disabledAt: timestamp.nullable(),
  })
  .meta({ id: 'WebhookEndpoint' });

export type EndpointView = z.infer<typeof endpointSchema>;

export const secretSchema = z
  .object({
    endpoint: endpointSchema,
    signingSecret: z.string().meta({ description: 'The signing secret, shown this once' }),
  })
  .meta({ id: 'WebhookSecretResponse' });

export const successSchema = z.object({ success: z.literal(true) });

export const listEndpointsQuery = z.strictObject({ programId: uuid.optional() });

export const createEndpointBody = z.strictObject({
  name: line(100),
  url,
  subscribedEvents,
  programId: uuid.nullish(),
  schemaVersion: z.literal(2).optional(),
});

export const updateEndpointBody = z.strictObject({
  name: line(100).optional(),
  url: url.optional(),
  subscribedEvents: subscribedEvents.optional(),
  programId: uuid.nullish(),
  schemaVersion: z.literal(2).optional(),
});

export const testEndpointBody = z.strictObject({ type: eventType.optional() });

export const listDeliveriesQuery = z.strictObject({ ...pageQuery, status: z.enum(DELIVERY_STATUSES).optional() });

export const deliverySchema = z
  .object({
    id: uuid,
    endpointId: uuid,
    eventId: uuid.meta({ description: 'The webhook-id header of every attempt' }),
    eventType,
    trigger: z.enum(DELIVERY_TRIGGERS),
    status: z.enum(DELIVERY_STATUSES),
    attemptCount: z.int(),
    nextAttemptAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });

export type DeliveryView = z.infer<typeof deliverySchema>;

export const attemptSchema = z
  .object({
    number: z.int(),
    trigger: z.enum(DELIVERY_TRIGGERS),
    url: z.string(),
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    outcome: z.enum(['succeeded', 'failed', 'unknown']).nullable().meta({ description: 'Null while it is under way' }),
    httpStatus: z.int().nullable(),
    errorCode: z.enum(DELIVERY_ERRORS).nullable(),
    remoteIp: z.string().nullable(),
    tls: z.string().nullable(),
    timings: z.object({ dnsMs: wholeMs, connectMs: wholeMs, tlsMs: wholeMs, firstByteMs: wholeMs, totalMs: wholeMs }),
    responseHeaders: z.record(z.string(), z.string()).nullable(),
    responseExcerpt: z.string().nullable().meta({ description: 'At most 16 KiB, as text' }),
    truncated: z.boolean(),
    secretIds: z.array(uuid).meta({ description: 'Secrets it was signed with, current one first' }),
  })
  .meta({ id: 'WebhookAttempt' });

export type AttemptView = z.infer<typeof attemptSchema>;

export const deliveryDetailSchema = deliverySchema
  .extend({ attempts: z.array(attemptSchema) })
  .meta({ id: 'WebhookDeliveryDetail' });

export type DeliveryDetailView = z.infer<typeof deliveryDetailSchema>;

export const toEndpoint = (endpoint: WebhookEndpoint): EndpointView => ({
  id: endpoint.id,
  name: endpoint.name,
  url: endpoint.url,
  status: endpoint.status,
  programId: endpoint.programId ?? null,
  schemaVersion: endpoint.schemaVersion,
  subscribedEvents: endpoint.subscribedEvents,
  secretLastFour: endpoint.secretLastFour ?? null,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
  disabledAt: endpoint.disabledAt?.toISOString() ?? null,
});
