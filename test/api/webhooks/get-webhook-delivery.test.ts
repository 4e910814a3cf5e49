import { webhookActivities } from '../../../activities/webhooks.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { useTestApi } from '../../support/api.ts';
import { asActivity } from '../../support/as-activity.ts';
import { useReceiver } from '../../support/receiver/receiver.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();
const receiver = useReceiver();

/** Returns what the Temporal UI shows of a failure that is retried; null after the last attempt. */
const attempt = async (deliveryId: string): Promise<string | null> => {
  const { attemptDelivery } = webhookActivities({
    context: (name) => api.runtime.context({ kind: 'system', name }),
    outbound: createOutbound({ policy: api.runtime.settings.outbound, userAgent: 'Tributary/test' }),
    schedule: STANDARD_SCHEDULE,
  });
  return asActivity(attemptDelivery)({ deliveryId, suffix: '' }).then(
    () => null,
    (error: { type?: string; message: string }) => {
      if (error.type !== 'DeliveryWaits') throw error;
      return error.message;
    },
  );
};

it('shows each attempt with its response, and hides cookies of the receiver', async () => {
  const { key, id } = await makeEndpoint(api, { url: receiver.url('/cookies') });
  const { data: made } = await api.call('POST', `/webhooks/${id}/test`, { key });
  await attempt(made.id);
  const response = await api.call('GET', `/webhook-deliveries/${made.id}`, { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    id: made.id,
    endpointId: id,
    eventId: made.eventId,
    eventType: 'payout.completed',
    trigger: 'test',
    status: 'succeeded',
    attemptCount: 1,
    nextAttemptAt: null,
    createdAt: made.createdAt,
    updatedAt: expect.any(String),
    attempts: [
      {
        number: 1,
        trigger: 'test',
        url: receiver.url('/cookies'),
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
        outcome: 'succeeded',
        httpStatus: 200,
        errorCode: null,
        remoteIp: '127.0.0.1',
        tls: null,
        timings: {
          dnsMs: expect.any(Number),
          connectMs: expect.any(Number),
          tlsMs: null,
          firstByteMs: expect.any(Number),
          totalMs: expect.any(Number),
        },
        responseHeaders: { 'content-length': '10' },
        responseExcerpt: 'status 200',
        truncated: false,
        secretIds: [expect.any(String)],
      },
    ],
  });
});

it('shows when a failed delivery is retried, and why in the Temporal UI', async () => {
  const { key, id } = await makeEndpoint(api, { url: receiver.url('/status/503') });
  const { data: made } = await api.call('POST', `/webhooks/${id}/test`, { key });
  expect(await attempt(made.id)).toBe('Attempt 1: http_5xx (503)');
  const { data } = await api.call('GET', `/webhook-deliveries/${made.id}`, { key });
  expect(data).toMatchObject({
    status: 'pending',
    attemptCount: 1,
    attempts: [{ outcome: 'failed', errorCode: 'http_5xx', httpStatus: 503 }],
  });
  expect(Date.parse(data.nextAttemptAt)).toBeGreaterThan(Date.parse(data.attempts[0].finishedAt) + 4_000);
});
