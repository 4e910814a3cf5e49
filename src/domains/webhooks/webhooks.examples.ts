import type { DeliveryDetailView, DeliveryView, EndpointView } from './webhooks.wire.ts';

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
