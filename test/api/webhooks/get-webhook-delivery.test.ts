import { randomUUID } from 'node:crypto';
import { webhookActivities } from '../../../activities/webhooks.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { openTestApi, type TestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { type Receiver, startReceiver } from '../../support/receiver/receiver.ts';
import { itNeedsTheRightKey, makeEndpoint } from './support.ts';

let api: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  [api, receiver] = await Promise.all([openTestApi(), startReceiver()]);
});
afterAll(async () => {
  await Promise.all([api.close(), receiver.stop()]);
});

itNeedsTheRightKey(() => api, { method: 'GET', path: '/webhook-deliveries/{id}', scope: 'webhooks:read' });

const attempt = async (deliveryId: string): Promise<void> => {
  const { attemptDelivery } = webhookActivities({
    context: (name) => api.runtime.context({ kind: 'system', name }),
    outbound: createOutbound({ policy: api.runtime.settings.outbound, userAgent: 'Tributary/test' }),
    schedule: STANDARD_SCHEDULE,
  });
  await attemptDelivery({ deliveryId, suffix: '' }).catch((error: { type?: string }) => {
    if (error.type !== 'DeliveryWaits') throw error;
  });
};

it('returns each attempt with its response, without the receiver’s cookies', async () => {
  const { key, id } = await makeEndpoint(api, { url: receiver.url('/cookies') });
  const { data: made } = await api.call('POST', `/webhooks/${id}/test`, { key });
  await attempt(made.id);
  const answer = await api.call('GET', `/webhook-deliveries/${made.id}`, { key });
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({
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
        responseHeaders: { 'content-length': '10', 'set-cookie': '[hidden]', 'x-twice': 'a, b' },
        responseExcerpt: 'status 200',
        truncated: false,
        secretIds: [expect.any(String)],
      },
    ],
  });
});

it('returns the time of the next attempt of a failed delivery', async () => {
  const { key, id } = await makeEndpoint(api, { url: receiver.url('/status/503') });
  const { data: made } = await api.call('POST', `/webhooks/${id}/test`, { key });
  await attempt(made.id);
  const { data } = await api.call('GET', `/webhook-deliveries/${made.id}`, { key });
  expect(data).toMatchObject({
    status: 'pending',
    attemptCount: 1,
    attempts: [{ outcome: 'failed', errorCode: 'http_5xx', httpStatus: 503 }],
  });
  expect(Date.parse(data.nextAttemptAt)).toBeGreaterThan(Date.parse(data.attempts[0].finishedAt) + 4_000);
});

it('returns 400 for a malformed id, 404 for a missing delivery and 403 for another merchant’s', async () => {
  const { key, id } = await makeEndpoint(api);
  const { data: made } = await api.call('POST', `/webhooks/${id}/test`, { key });
  const stranger = await makeMerchant(api.runtime);
  expect(await api.call('GET', '/webhook-deliveries/abc', { key })).toMatchObject({ status: 400 });
  expect(await api.call('GET', `/webhook-deliveries/${randomUUID()}`, { key })).toMatchObject({
    status: 404,
    error: { code: 'NOT_FOUND' },
  });
  expect(await api.call('GET', `/webhook-deliveries/${made.id}`, { key: stranger.key })).toMatchObject({
    status: 403,
    error: { code: 'FORBIDDEN' },
  });
});
