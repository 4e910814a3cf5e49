import { z } from 'zod';
import { ENVIRONMENTS, type EventType, SCHEMA_VERSION } from '../../contracts/events.ts';
import {
  DELIVERY_ERRORS,
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
} from '../../contracts/webhooks.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, id, merchantId, programFilter, updatedAt } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { nameLine, storedUuid, stringOrNull, timestamp, uuid, withTextsOf } from '../../platform/http/schemas.ts';
import { eventType, publishedEventType } from './events/event-types.wire.ts';

const url = z.string().min(1).max(2048).meta({ description: 'HTTPS URL that receives the deliveries', format: 'uri' });
const subscribedEvents = z.array(publishedEventType).min(1).max(100).describe('Event types to deliver');
const durationMs = z.int().nullable();

export const endpointSchema = z
  .object({
    id,
    name: z.string().describe('Display name of the endpoint'),
    url: z.string().meta({ format: 'uri' }).describe('URL that receives the deliveries'),
    status: z
      .enum(ENDPOINT_STATUSES)
      .describe('Nothing is sent to a `disabled` endpoint. Deliveries that exist wait until it is enabled; new events get none'),
    programId: storedUuid.nullable().describe('Null for events from all programs'),
    schemaVersion: z.literal(SCHEMA_VERSION).describe('Version of the webhook body'),
    subscribedEvents: z
      .array(publishedEventType)
      .describe('Event types to deliver; extended ones are in the settings of the endpoint'),
    secretLastFour: stringOrNull.describe('Last four characters of the current signing secret'),
    createdAt,
    updatedAt,
    disabledAt: timestamp.nullable().describe('When the endpoint was disabled; null if it is active'),
  })
  .meta({ id: 'WebhookEndpoint' });

export type EndpointView = z.infer<typeof endpointSchema>;

export const secretSchema = z
  .object({
    endpoint: endpointSchema.describe('The endpoint, without its secret'),
    signingSecret: z.string().describe('Shown only once'),
  })
  .meta({ id: 'WebhookSecretResponse' });

export const successSchema = z.object({ success: z.literal(true).describe('Always true') });

export const listEndpointsQuery = z.strictObject({ programId: programFilter });

export const createEndpointBody = z.strictObject(
  withTextsOf(endpointSchema, {
    name: nameLine(100),
    url,
    subscribedEvents,
    programId: uuid.nullish().describe('Only events of this program. Default: null, events of all programs'),
    schemaVersion: z.literal(SCHEMA_VERSION).optional().describe('Version of the webhook body. Default: 2'),
  }),
);

export const testEndpointBody = z.strictObject({
  type: eventType.optional().describe('Event type to send, with example data. Default: the first subscribed type'),
});

export const listDeliveriesQuery = z.strictObject({
  ...pageQuery,
  status: z.enum(DELIVERY_STATUSES).optional().describe('Only deliveries with this status'),
});

export const deliverySchema = z
  .object({
    id,
    endpointId: storedUuid.describe('Endpoint that receives the delivery'),
    eventId: storedUuid.describe('The webhook-id header of every attempt'),
    eventType: eventType.describe('What happened, for example `payout.completed`'),
    trigger: z.enum(DELIVERY_TRIGGERS).describe('What caused it: the schedule, a manual resend, a replay or a test'),
    status: z.enum(DELIVERY_STATUSES).describe('`parked`: the endpoint is disabled. `exhausted`: all attempts failed'),
    attemptCount: z.int().describe('Number of attempts so far'),
    nextAttemptAt: timestamp.nullable().describe('When the next attempt is due; null if none is'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'WebhookDelivery' });

export type DeliveryView = z.infer<typeof deliverySchema>;

const timings = {
  dnsMs: durationMs.describe('Name resolution in milliseconds; null if it did not happen'),
  connectMs: durationMs.describe('TCP connection in milliseconds; null if it did not happen'),
  tlsMs: durationMs.describe('TLS handshake in milliseconds; null if it did not happen'),
  firstByteMs: durationMs.describe('From sending to the first byte of the response in milliseconds; null without one'),
  totalMs: durationMs.describe('Whole attempt in milliseconds; null while in progress'),
};

export const attemptSchema = z
  .object({
    number: z.int().describe('Number of the attempt, from 1'),
    trigger: deliverySchema.shape.trigger,
    url: z.string().describe('URL that the request was sent to'),
    startedAt: timestamp.describe('When the attempt began'),
    finishedAt: timestamp.nullable().describe('When the attempt ended; null while in progress'),
    outcome: z.enum(['succeeded', 'failed', 'unknown']).nullable().describe('Null while in progress'),
    httpStatus: z.int().nullable().describe('Status of the response; null without one'),
    errorCode: z.enum(DELIVERY_ERRORS).nullable().describe('Why the attempt failed; null if it did not'),
    remoteIp: stringOrNull.describe('Address that the request was sent to; null if there was no connection'),
    tls: stringOrNull.describe('TLS version and cipher; null without TLS'),
    timings: z.object(timings).describe('Duration of each phase'),
    responseHeaders: z.record(z.string(), z.string()).nullable().describe('Headers of the response; null without one'),
    responseExcerpt: stringOrNull.describe('The first 16 KiB of the response, as text'),
    truncated: z.boolean().describe('Whether the response was longer than what is stored'),
    secretIds: z.array(storedUuid).describe('Secrets that signed the request, current secret first'),
  })
  .meta({ id: 'WebhookAttempt' });

export type AttemptView = z.infer<typeof attemptSchema>;

export const deliveryDetailSchema = deliverySchema
  .extend({ attempts: z.array(attemptSchema).describe('The newest 100 attempts, oldest first; `attemptCount` counts all') })
  .meta({ id: 'WebhookDeliveryDetail' });

export type DeliveryDetailView = z.infer<typeof deliveryDetailSchema>;

/** What every event has, in this order, between its type and its data. */
export const envelopeFields = {
  schemaVersion: endpointSchema.shape.schemaVersion,
  createdAt,
  merchantId,
  programId: storedUuid.optional().describe('Program that this belongs to; as a filter, only objects of this program'),
  environment: z.enum(ENVIRONMENTS).describe('The `ENVIRONMENT` setting of the server'),
  subjectId: storedUuid.describe('The program, affiliate, application, sale, conversion, payout or flag that the event is about'),
  sequence: z.int().min(1).describe('Number of the event among those of its subject, from 1 without gaps'),
};

/** The body of a delivery. */
export const envelopeSchema = (type: EventType, data: z.ZodType) =>
  z.object({
    id: storedUuid.describe('Same as the webhook-id header; identical in every attempt'),
    type: z.literal(type).describe('Event type'),
    ...envelopeFields,
    test: z.literal(true).optional().describe('Present in test deliveries'),
    data: data.describe('The object as the API would have returned it at that moment'),
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
    endpointId: storedUuid.describe('The endpoint'),
    status: z.enum(ENDPOINT_STATUSES).describe('Nothing is sent to a `disabled` endpoint'),
    disabledReason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .describe(
        'Who or what disabled the endpoint: the `merchant`, a 410 of the receiver (`gone`), or 120 hours without a success (`failing`); null if it is active',
      ),
    disabledAt: endpointSchema.shape.disabledAt,
    failingSince: timestamp
      .nullable()
      .describe(
        'Since when no attempt is known to have succeeded: set when the circuit breaker opens, or when a retry fails 24 hours or more after its delivery was created; null otherwise',
      ),
    breaker: z
      .object({
        openUntil: timestamp
          .nullable()
          .describe(
            'No attempt before this time, and one at a time after it, until one succeeds; null while the breaker is closed',
          ),
        failures: z.int().describe('Attempts that failed one after the other while the breaker was open'),
      })
      .describe('The circuit breaker, which pauses the deliveries of an endpoint that fails'),
    deliveries: z
      .object({
        pending: z.int().describe('Deliveries that wait for an attempt'),
        parked: z.int().describe('Deliveries that wait until the endpoint is enabled'),
        exhausted: z.int().describe('Deliveries that used up their attempts, without test deliveries'),
        oldestPendingAt: timestamp
          .nullable()
          .describe('When the oldest pending delivery was created, also if it was replayed later; null if none is pending'),
      })
      .describe('Deliveries that wait, and deliveries that were given up; each count stops at 10,000'),
    lastSuccessAt: timestamp.nullable().describe('When an attempt succeeded last; null if none is known'),
    lastFailureAt: timestamp.nullable().describe('When an attempt failed last, of the newest 1,000 deliveries; null if none did'),
    lastErrorCode: z.enum(DELIVERY_ERRORS).nullable().describe('Why that attempt failed'),
    recent: z
      .object({
        from: timestamp.describe(
          'When the oldest of the newest 1,000 deliveries was created; 24 hours ago if that is later, or with fewer deliveries',
        ),
        attempts: z.int().describe('Attempts with a known outcome'),
        succeeded: z.int().describe('Attempts that the receiver acknowledged'),
        successShare: z.number().nullable().describe('Share of them that succeeded, from 0 to 1; null without attempts'),
      })
      .describe('Attempts of the last 24 hours, of the newest 1,000 deliveries'),
    nextSteps: z.array(z.string()).describe('What to do now, in sentences'),
  })
  .meta({ id: 'WebhookEndpointHealth' });

export type EndpointHealthView = z.infer<typeof endpointHealthSchema>;
