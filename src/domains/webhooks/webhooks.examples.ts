import { type EventType, SCHEMA_VERSION } from '../../contracts/events.ts';
import type { ReplayView } from './deliveries/webhook-replays.wire.ts';
import type { EndpointSettingsView } from './endpoints/endpoint-settings.wire.ts';
import { subjectOf } from './events/envelope.rules.ts';
import type { DeliveryDetailView, DeliveryView, EndpointHealthView, EndpointView } from './webhooks.wire.ts';

export const endpointExample: EndpointView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e21',
  name: 'Orders service',
  url: 'https://hooks.acme.example.com/referrals',
  status: 'active',
  programId: null,
  schemaVersion: 2,
  subscribedEvents: ['conversion.created', 'payout.completed'],
  secretLastFour: '9Qs=',
  createdAt: '2026-01-15T09:30:00.000Z',
  updatedAt: '2026-01-15T09:30:00.000Z',
  disabledAt: null,
};

export const disabledEndpointExample: EndpointView = {
  ...endpointExample,
  status: 'disabled',
  disabledAt: '2026-02-01T08:00:00.000Z',
};

const { name, url, subscribedEvents } = endpointExample;
export const createEndpointExample = { name, url, subscribedEvents };

export const secretExample = {
  endpoint: endpointExample,
  signingSecret: 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
};

export const deliveryExample: DeliveryView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31',
  endpointId: endpointExample.id,
  eventId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  eventType: 'payout.completed',
  trigger: 'schedule',
  status: 'succeeded',
  attemptCount: 1,
  nextAttemptAt: null,
  createdAt: '2026-02-01T08:00:00.000Z',
  updatedAt: '2026-02-01T08:00:00.412Z',
};

export const deliveryDetailExample: DeliveryDetailView = {
  ...deliveryExample,
  attempts: [
    {
      number: 1,
      trigger: 'schedule',
      url: endpointExample.url,
      startedAt: '2026-02-01T08:00:00.210Z',
      finishedAt: '2026-02-01T08:00:00.412Z',
      outcome: 'succeeded',
      httpStatus: 200,
      errorCode: null,
      remoteIp: '198.51.100.7',
      tls: 'TLSv1.3',
      timings: { dnsMs: 4, connectMs: 21, tlsMs: 48, firstByteMs: 110, totalMs: 184 },
      responseHeaders: { 'content-type': 'text/plain' },
      responseExcerpt: 'ok',
      truncated: false,
      secretIds: ['0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51'],
    },
  ],
};

export const envelopeExample = (type: EventType, data: unknown) => ({
  id: deliveryExample.eventId,
  type,
  schemaVersion: SCHEMA_VERSION,
  createdAt: deliveryExample.createdAt,
  merchantId: '0198f1c2-6f01-7a55-b1d4-0c8e92f7a310',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  environment: 'production',
  subjectId: subjectOf({ type, data }),
  // A subject begins with what created it.
  sequence: type.endsWith('.created') ? 1 : 3,
  data,
});

export const endpointHealthExample: EndpointHealthView = {
  endpointId: endpointExample.id,
  status: 'active',
  disabledReason: null,
  disabledAt: null,
  failingSince: '2026-02-01T08:00:00.000Z',
  breaker: { openUntil: '2026-02-01T08:40:00.000Z', failures: 3 },
  deliveries: { pending: 41, parked: 0, exhausted: 0, oldestPendingAt: '2026-02-01T08:00:00.000Z' },
  lastSuccessAt: '2026-02-01T07:58:12.000Z',
  lastFailureAt: '2026-02-01T08:30:00.000Z',
  lastErrorCode: 'http_5xx',
  recent: { from: '2026-01-31T08:31:00.000Z', attempts: 480, succeeded: 432, successShare: 0.9 },
  nextSteps: [
    'The receiver reports an error of its own: look at its log.',
    'Leave it enabled: deliveries are retried for about three days.',
  ],
};

export const endpointSettingsExample: EndpointSettingsView = {
  endpointId: endpointExample.id,
  headers: { authorization: '****', 'x-tenant': '****' },
  maxInFlight: 8,
  ratePerSecond: 20,
  rotationOverlapHours: 48,
  extendedEvents: ['payout.needs_attention'],
};

export const updateEndpointSettingsExample = {
  headers: { Authorization: 'Bearer 7f9c24e5', 'X-Tenant': 'acme', 'X-Old': null },
  maxInFlight: 8,
  ratePerSecond: 20,
  rotationOverlapHours: 48,
  extendedEvents: ['payout.needs_attention'],
};

export const testDeliveryExample: DeliveryDetailView = {
  ...deliveryExample,
  trigger: 'test',
  status: 'pending',
  attemptCount: 0,
  attempts: [],
};

export const replayBodyExample = { since: '2026-02-01T08:00:00.000Z' };

export const replayExample: ReplayView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e61',
  endpointId: endpointExample.id,
  since: replayBodyExample.since,
  until: '2026-02-02T10:15:00.000Z',
  status: ['missing', 'exhausted'],
  types: endpointExample.subscribedEvents,
  state: 'running',
  cancelReason: null,
  eventsExamined: 0,
  deliveriesQueued: 0,
  createdAt: '2026-02-02T10:15:00.000Z',
  completedAt: null,
};

export const completedReplayExample: ReplayView = {
  ...replayExample,
  state: 'completed',
  eventsExamined: 1480,
  deliveriesQueued: 212,
  completedAt: '2026-02-02T10:15:31.250Z',
};

export const cancelledReplayExample: ReplayView = {
  ...replayExample,
  state: 'cancelled',
  cancelReason: 'requested',
  eventsExamined: 1000,
  deliveriesQueued: 140,
  completedAt: '2026-02-02T10:15:02.710Z',
};
