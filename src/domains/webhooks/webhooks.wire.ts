import { z } from 'zod';
import { ENVIRONMENTS, EVENT_TYPES, type EventType, SCHEMA_VERSION } from '../../contracts/events.ts';
import {
  DELIVERY_ERRORS,
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
} from '../../contracts/webhooks.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { line, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';

export const eventType = z.enum(EVENT_TYPES).meta({ id: 'WebhookEventType' });
const url = z.string().min(1).max(2048).meta({ description: 'HTTPS URL that receives the deliveries', format: 'uri' });
const subscribedEvents = z.array(eventType).min(1).max(100);
const durationMs = z.int().nullable();

export const endpointSchema = z
  .object({
    id: storedUuid,
    name: z.string(),
    url: z.string().meta({ format: 'uri' }),
    status: z.enum(ENDPOINT_STATUSES),
    programId: storedUuid.nullable().meta({ description: 'Null for events from all programs' }),
    schemaVersion: z.literal(SCHEMA_VERSION),
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
    signingSecret: z.string().meta({ description: 'Shown only once' }),
  })
  .meta({ id: 'WebhookSecretResponse' });

export const successSchema = z.object({ success: z.literal(true) });

export const listEndpointsQuery = z.strictObject({ programId: uuid.optional() });

export const createEndpointBody = z.strictObject({
  name: line(100),
  url,
  subscribedEvents,
  programId: uuid.nullish(),
  schemaVersion: z.literal(SCHEMA_VERSION).optional(),
});

export const updateEndpointBody = createEndpointBody.partial();

export const testEndpointBody = z.strictObject({ type: eventType.optional() });

export const listDeliveriesQuery = z.strictObject({ ...pageQuery, status: z.enum(DELIVERY_STATUSES).optional() });

export const deliverySchema = z
  .object({
    id: storedUuid,
    endpointId: storedUuid,
    eventId: storedUuid.meta({ description: 'The webhook-id header of every attempt' }),
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

const timings = { dnsMs: durationMs, connectMs: durationMs, tlsMs: durationMs, firstByteMs: durationMs, totalMs: durationMs };

export const attemptSchema = z
  .object({
    number: z.int(),
    trigger: z.enum(DELIVERY_TRIGGERS),
    url: z.string(),
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    outcome: z.enum(['succeeded', 'failed', 'unknown']).nullable().meta({ description: 'Null while in progress' }),
    httpStatus: z.int().nullable(),
    errorCode: z.enum(DELIVERY_ERRORS).nullable(),
    remoteIp: z.string().nullable(),
    tls: z.string().nullable(),
    timings: z.object(timings),
    responseHeaders: z.record(z.string(), z.string()).nullable(),
    responseExcerpt: z.string().nullable().meta({ description: 'The first 16 KiB of the response, as text' }),
    truncated: z.boolean(),
    secretIds: z.array(storedUuid).meta({ description: 'Secrets that signed the request, current secret first' }),
  })
  .meta({ id: 'WebhookAttempt' });

export type AttemptView = z.infer<typeof attemptSchema>;

export const deliveryDetailSchema = deliverySchema
  .extend({ attempts: z.array(attemptSchema) })
  .meta({ id: 'WebhookDeliveryDetail' });

export type DeliveryDetailView = z.infer<typeof deliveryDetailSchema>;

/** What every event has, in this order, between its type and its data. */
export const envelopeFields = {
  schemaVersion: z.literal(SCHEMA_VERSION),
  createdAt: timestamp,
  merchantId: storedUuid,
  programId: storedUuid.optional(),
  environment: z.enum(ENVIRONMENTS),
  subjectId: storedUuid,
  sequence: z.int().min(1),
};

/** The body of a delivery. */
export const envelopeSchema = (type: EventType, data: z.ZodType) =>
  z.object({
    id: storedUuid.meta({ description: 'Same as the webhook-id header; identical in every attempt' }),
    type: z.literal(type),
    ...envelopeFields,
    test: z.literal(true).optional().meta({ description: 'Present in test deliveries' }),
    data,
  });

export type StoredEndpoint = Stored<EndpointView, 'createdAt' | 'updatedAt' | 'disabledAt'>;

export const toEndpoint = (endpoint: StoredEndpoint): EndpointView => ({
  id: endpoint.id,
  name: endpoint.name,
  url: endpoint.url,
  status: endpoint.status,
  programId: endpoint.programId ?? null,
  schemaVersion: endpoint.schemaVersion,
  subscribedEvents: endpoint.subscribedEvents,
  secretLastFour: endpoint.secretLastFour ?? null,
  createdAt: toIso(endpoint.createdAt),
  updatedAt: toIso(endpoint.updatedAt),
  disabledAt: toIsoOrNull(endpoint.disabledAt),
});

export const toSecret = (issued: { endpoint: StoredEndpoint; signingSecret: string }): z.infer<typeof secretSchema> => ({
  endpoint: toEndpoint(issued.endpoint),
  signingSecret: issued.signingSecret,
});

/** A row under wire names; times as Postgres writes them. */
export type DeliveryRow = DeliveryView;

export const toDelivery = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  endpointId: row.endpointId,
  eventId: row.eventId,
  eventType: row.eventType,
  trigger: row.trigger,
  status: row.status,
  attemptCount: row.attemptCount,
  nextAttemptAt: toIsoOrNull(row.nextAttemptAt),
  createdAt: toIso(row.createdAt),
  updatedAt: toIso(row.updatedAt),
});

/** A row under wire names; times as Postgres writes them. */
export type AttemptRow = Omit<AttemptView, 'timings' | 'responseExcerpt'> &
  AttemptView['timings'] & { responseExcerpt: Buffer | null };

export const toAttempt = ({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs, ...row }: AttemptRow): AttemptView => ({
  ...row,
  startedAt: toIso(row.startedAt),
  finishedAt: toIsoOrNull(row.finishedAt),
  timings: { dnsMs, connectMs, tlsMs, firstByteMs, totalMs },
  responseExcerpt: row.responseExcerpt?.toString('utf8') ?? null,
});

export const endpointHealthSchema = z
  .object({
    endpointId: storedUuid,
    status: z.enum(ENDPOINT_STATUSES),
    disabledReason: z.enum(DISABLED_REASONS).nullable(),
    disabledAt: timestamp.nullable(),
    failingSince: timestamp.nullable(),
    breaker: z.object({ openUntil: timestamp.nullable(), failures: z.int() }),
    deliveries: z.object({ pending: z.int(), parked: z.int(), exhausted: z.int(), oldestPendingAt: timestamp.nullable() }),
    lastSuccessAt: timestamp.nullable(),
    lastFailureAt: timestamp.nullable(),
    lastErrorCode: z.enum(DELIVERY_ERRORS).nullable(),
    recent: z.object({ from: timestamp, attempts: z.int(), succeeded: z.int(), successShare: z.number().nullable() }),
    nextSteps: z.array(z.string()),
  })
  .meta({ id: 'WebhookEndpointHealth' });

export type EndpointHealthView = z.infer<typeof endpointHealthSchema>;
