import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { WEBHOOK_EVENTS } from '../../../src/api/webhook-events.ts';
import { getWebhookEndpoint } from '../../../src/domains/webhooks/endpoints/webhook-endpoints.queries.ts';
import { finishDeliveryAttempt, STANDARD_SCHEDULE, startDeliveryAttempt } from '../../../src/domains/webhooks/index.ts';
import { testWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/test-webhook-endpoint.ts';
import { unparkDeliveries } from '../../../src/domains/webhooks/use-cases/unpark-deliveries.ts';
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { bytesOf, headerOf, useReceiver } from '../../support/receiver/receiver.ts';
import { type TestMerchant, useWebhookBench } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

const system = () => bench.runtime.context({ kind: 'system', name: 'test' });

/** A path of its own for each test. */
const fresh = (behaviour: string): string => `/${behaviour}/t${unique()}`;

const begin = async (behaviour: string, merchant?: TestMerchant) => {
  const owner = merchant ?? (await bench.merchant());
  const path = fresh(behaviour);
  const endpoint = await owner.endpoint({ url: receiver.url(path) });
  const [id = ''] = await owner.emit();
  return { merchant: owner, endpoint, path, id };
};

/** Enables an endpoint and resumes what is parked, as its lane does. */
const enable = async (merchant: TestMerchant, endpointId: string): Promise<void> => {
  await enableWebhookEndpoint(merchant.ctx(), { id: endpointId });
  await unparkDeliveries(merchant.ctx(), { endpointId, limit: 100 });
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('a successful delivery', () => {
  test('sends the stored bytes, signed, and keeps a record', async () => {
    const { merchant, endpoint, path, id } = await begin('status/200');
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 1 });

    const [request] = await receiver.received(path);
    if (!request) throw new Error('nothing came');
    const delivery = await merchant.delivery(id);
    const stored = await firstRow(
      merchant.ctx().em,
      sql<{ body: Buffer }>`select body from webhook_event where id = ${delivery.eventId}::uuid`,
    );
    expect(bytesOf(request)).toEqual(stored?.body);
    expect(headerOf(request, 'webhook-id')).toBe(delivery.eventId);
    expect(headerOf(request, 'svix-signature')).toBe(headerOf(request, 'webhook-signature'));
    expect(headerOf(request, 'user-agent')).toBe('Tributary/test');
    const told = new Webhook(endpoint.signingSecret).verify(bytesOf(request).toString(), Object.fromEntries(request.headers));
    expect(told).toMatchObject({
      id: delivery.eventId,
      type: 'payout.completed',
      merchantId: merchant.id,
      environment: 'development',
    });

    expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 1, nextAttemptAt: null });
    expect(delivery.attempts).toMatchObject([
      {
        number: 1,
        trigger: 'schedule',
        outcome: 'succeeded',
        httpStatus: 200,
        errorCode: null,
        remoteIp: '127.0.0.1',
        responseExcerpt: 'status 200',
      },
    ]);
    expect(delivery.attempts[0]?.secretIds).toHaveLength(1);
    expect(delivery.attempts[0]?.timings.totalMs).toBeGreaterThanOrEqual(0);
  });

  test('a successful delivery is not sent again when its activity is repeated', async () => {
    const { path, id } = await begin('status/200');
    await bench.attempt(id);
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 1 });
    expect(await bench.attempt(id, '/r1')).toEqual({ end: 'succeeded', attempts: 1 });
    expect(await receiver.received(path)).toHaveLength(1);
  });

  test('a missing delivery ends its run', async () => {
    expect(await bench.attempt('0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff')).toEqual({ end: 'closed', attempts: 0 });
  });
});

describe('a failing delivery', () => {
  test('a failing delivery is attempted ten times on the schedule, with the same bytes and id and a new timestamp, and is then exhausted', async () => {
    const { merchant, path, id } = await begin('status/503');
    const waits: number[] = [];
    for (let n = 1; n < 10; n += 1) {
      const waiting = await bench.attempt(id);
      if (!('waitMs' in waiting)) throw new Error('ended early');
      waits.push(waiting.waitMs);
      bench.clock.advance(waiting.waitMs);
    }
    expect(waits).toEqual([5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]);
    expect(await bench.attempt(id)).toEqual({ end: 'exhausted', attempts: 10 });

    const requests = await receiver.received(path);
    expect(requests).toHaveLength(10);
    expect(new Set(requests.map((request) => createHash('sha256').update(bytesOf(request)).digest('hex'))).size).toBe(1);
    expect(new Set(requests.map((request) => headerOf(request, 'webhook-id'))).size).toBe(1);
    expect(new Set(requests.map((request) => headerOf(request, 'webhook-timestamp'))).size).toBe(10);
    const delivery = await merchant.delivery(id);
    expect(delivery).toMatchObject({ status: 'exhausted', attemptCount: 10, nextAttemptAt: null });
    expect(delivery.attempts.every((attempt) => attempt.errorCode === 'http_5xx' && attempt.outcome === 'failed')).toBe(true);
  });

  test('a failing delivery is not sent before its time', async () => {
    const { path, id } = await begin('status/500');
    await bench.attempt(id);
    const early = await bench.attempt(id);
    expect(early).toEqual({ waitMs: expect.any(Number) });
    expect((early as { waitMs: number }).waitMs).toBeLessThanOrEqual(5 * SECOND);
    expect(await receiver.received(path)).toHaveLength(1);
  });

  test('waits as long as the receiver requests', async () => {
    const { id } = await begin('retry-after/503/120');
    expect(await bench.attempt(id)).toEqual({ waitMs: 120 * SECOND });
    const { id: far } = await begin('retry-after/429/1000000000');
    expect(await bench.attempt(far)).toEqual({ waitMs: 24 * HOUR });
    const { id: garbage } = await begin('retry-after/503/-5');
    expect(await bench.attempt(garbage)).toEqual({ waitMs: 5 * SECOND });
  });

  test('records the location of a redirect, and does not follow it', async () => {
    const { merchant, id } = await begin(`redirect/302/${encodeURIComponent('http://169.254.169.254/latest')}`);
    expect(await bench.attempt(id)).toEqual({ waitMs: 5 * SECOND });
    const [attempt] = (await merchant.delivery(id)).attempts;
    expect(attempt).toMatchObject({
      httpStatus: 302,
      errorCode: 'http_3xx',
      responseHeaders: { location: 'http://169.254.169.254/latest' },
    });
  });

  test('a binary response body is stored, and returned as text', async () => {
    const { merchant, id } = await begin('binary');
    await bench.attempt(id);
    const [attempt] = (await merchant.delivery(id)).attempts;
    expect(attempt?.responseExcerpt).toHaveLength(4);
  });

  test('uses a new URL from the next attempt on, and is kept when the type is no longer subscribed', async () => {
    const { merchant, endpoint, path, id } = await begin('status/500');
    const waiting = await bench.attempt(id);
    const moved = fresh('status/200');
    await updateWebhookEndpoint(merchant.ctx(), {
      id: endpoint.id,
      url: receiver.url(moved),
      subscribedEvents: ['flag.resolved'],
    });
    bench.clock.advance((waiting as { waitMs: number }).waitMs);
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 2 });
    expect(await receiver.received(path)).toHaveLength(1);
    expect(await receiver.received(moved)).toHaveLength(1);
    expect((await merchant.delivery(id)).attempts.map((attempt) => attempt.url)).toEqual([
      receiver.url(path),
      receiver.url(moved),
    ]);
  });

  test('an address that became private is blocked, and the attempt does not contain it', async () => {
    const { merchant, id } = await begin('status/200');
    await execute(
      merchant.ctx().em,
      sql`update webhook_endpoint set url = 'https://10.0.0.1/hook' where merchant_id = ${merchant.id}::uuid`,
    );
    expect(await bench.attempt(id)).toEqual({ waitMs: 5 * SECOND });
    const [attempt] = (await merchant.delivery(id)).attempts;
    expect(attempt).toMatchObject({ outcome: 'failed', errorCode: 'blocked_address', remoteIp: null, httpStatus: null });
  });
});

const finish = (id: string, status: number) => {
  const response = { status, headers: {}, retryAfter: [], excerpt: Buffer.alloc(0), truncated: false };
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
  const report = { response, error: null, remoteIp: null, tls: null, timings };
  return finishDeliveryAttempt(system(), {
    deliveryId: id,
    suffix: '',
    n: 1,
    report,
    schedule: STANDARD_SCHEDULE,
  });
};

describe('410 Gone', () => {
  test('410 of a former URL leaves the endpoint active, and the delivery goes to the new URL', async () => {
    const { merchant, endpoint, id } = await begin('status/500');
    await startDeliveryAttempt(system(), { deliveryId: id, suffix: '', schedule: STANDARD_SCHEDULE });
    const path = fresh('status/200');
    await updateWebhookEndpoint(merchant.ctx(), { id: endpoint.id, url: receiver.url(path) });
    const step = await finish(id, 410);
    expect(step).toEqual({ kind: 'wait', retryInMs: expect.any(Number) });
    expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({ status: 'active' });
    bench.clock.advance((step as { retryInMs: number }).retryInMs);
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 2 });
    expect(await receiver.received(path)).toHaveLength(1);
  });

  test('disables the endpoint and parks the delivery without using an attempt', async () => {
    const { merchant, endpoint, id } = await begin('sequence/410,500');
    const [waiting = ''] = await merchant.emit();
    expect(await bench.attempt(id)).toEqual({ end: 'parked', attempts: 1 });
    expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({
      status: 'disabled',
      disabledAt: expect.any(String),
    });
    expect(await bench.attempt(waiting)).toEqual({ end: 'parked', attempts: 0 });
    expect((await merchant.delivery(id)).attempts).toMatchObject([{ httpStatus: 410, errorCode: 'gone' }]);

    await enable(merchant, endpoint.id);
    expect(await bench.attempt(id, '/e1')).toEqual({ waitMs: 5 * SECOND });
  });

  test('ends a test delivery without disabling anything', async () => {
    const { merchant, endpoint } = await begin('status/410');
    const id = await testWebhookEndpoint(merchant.ctx(), { events: WEBHOOK_EVENTS, id: endpoint.id });
    expect(await bench.attempt(id)).toEqual({ end: 'exhausted', attempts: 1 });
    expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({ status: 'active', disabledAt: null });
  });
});

describe('disabling and enabling', () => {
  test('nothing is sent while disabled; enabling starts new runs with the remaining attempts', async () => {
    const { merchant, endpoint, path, id } = await begin('status/500');
    for (let n = 1; n <= 3; n += 1) bench.clock.advance(((await bench.attempt(id)) as { waitMs: number }).waitMs);
    await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    expect(await bench.attempt(id)).toEqual({ end: 'parked', attempts: 3 });
    expect(await receiver.received(path)).toHaveLength(3);
    expect(await bench.attempt(id)).toEqual({ end: 'parked', attempts: 3 });

    await enable(merchant, endpoint.id);
    expect(await merchant.delivery(id)).toMatchObject({ status: 'pending', nextAttemptAt: expect.any(String) });
    expect(await bench.attempt(id, '/e1')).toEqual({ waitMs: 2 * HOUR });
    expect(await receiver.received(path)).toHaveLength(4);
  });

  test('each enabling gives a delivery that fails again another run', async () => {
    const { merchant, endpoint, id } = await begin('status/500');
    await bench.attempt(id);
    for (const suffix of ['/e1', '/e2']) {
      await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
      expect(await bench.attempt(id)).toMatchObject({ end: 'parked' });
      await enable(merchant, endpoint.id);
      await enable(merchant, endpoint.id);
      await bench.drainUntil(async () => (await bench.outbox(id)).includes(suffix));
    }
    expect(await bench.outbox(id)).toEqual(['/e1', '/e2']);
  });

  test('a delivery that was not due while disabled continues', async () => {
    const { merchant, endpoint, id } = await begin('status/200');
    await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await enable(merchant, endpoint.id);
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 1 });
  });

  test('concurrent attempts and enabling leave nothing parked at an active endpoint', async () => {
    const merchant = await bench.merchant();
    const endpoint = await merchant.endpoint({ url: receiver.url(fresh('status/200')) });
    for (let round = 0; round < 15; round += 1) {
      const [id = ''] = await merchant.emit();
      await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
      await Promise.all([bench.attempt(id), enable(merchant, endpoint.id)]);
      await unparkDeliveries(merchant.ctx(), { endpointId: endpoint.id, limit: 100 });
      const { status } = await merchant.delivery(id);
      expect(['succeeded', 'pending']).toContain(status);
    }
  });
});

describe('deleting', () => {
  test('cancels parked deliveries by their lane and pending ones at their next attempt; the history is kept', async () => {
    const { merchant, endpoint, path, id } = await begin('status/500');
    const waiting = await bench.attempt(id);
    const [parked = ''] = await merchant.emit();
    await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await bench.attempt(parked);
    await deleteWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await bench.drainUntil(async () => (await merchant.delivery(parked)).status === 'cancelled');
    bench.clock.advance((waiting as { waitMs: number }).waitMs);
    expect(await bench.attempt(id)).toEqual({ end: 'cancelled', attempts: 1 });
    expect(await receiver.received(path)).toHaveLength(1);
    expect((await merchant.delivery(id)).attempts).toHaveLength(1);
  });
});

describe('a lost worker', () => {
  const crash = (id: string, suffix = '') =>
    startDeliveryAttempt(bench.runtime.context({ kind: 'system', name: 'crashing' }), {
      deliveryId: id,
      suffix,
      schedule: STANDARD_SCHEDULE,
    });

  test('leaves an attempt with an unknown outcome that is not counted; the same bytes are sent again', async () => {
    const { merchant, path, id } = await begin('status/500');
    expect(await crash(id)).toMatchObject({ kind: 'send', n: 1 });
    expect((await merchant.delivery(id)).attempts).toMatchObject([{ outcome: null, finishedAt: null }]);
    expect(await bench.attempt(id)).toEqual({ waitMs: 5 * SECOND });
    expect(await receiver.received(path)).toHaveLength(1);
    expect((await merchant.delivery(id)).attempts).toMatchObject([
      { number: 1, outcome: 'unknown', errorCode: 'worker_lost', finishedAt: null },
      { number: 2, outcome: 'failed', errorCode: 'http_5xx' },
    ]);
  });

  /** As the reconciler does when it knows of no open run. */
  const replaceRun = (id: string, suffix: string) =>
    execute(system().em, sql`update webhook_delivery set run_suffix = ${suffix} where id = ${id}::uuid`);

  test('a run that replaces another one sends at once, and marks an old attempt as lost', async () => {
    const { merchant, id } = await begin('status/500');
    await crash(id);
    await replaceRun(id, '/r1');
    bench.clock.advance(36 * SECOND);
    expect(await crash(id, '/r1')).toMatchObject({ kind: 'send', n: 2 });
    expect((await merchant.delivery(id)).attempts.map((attempt) => attempt.outcome)).toEqual(['unknown', null]);
  });

  test('a run that was replaced while it sent is not counted, and sends nothing more', async () => {
    const { merchant, path, id } = await begin('status/500');
    await crash(id);
    await replaceRun(id, '/r1');
    expect(await finish(id, 500)).toMatchObject({ kind: 'end', result: { end: 'closed' } });
    expect(await merchant.delivery(id)).toMatchObject({ status: 'pending', attempts: [{ outcome: 'failed' }] });
    expect(await bench.attempt(id)).toEqual({ end: 'closed', attempts: 1 });
    expect(await bench.attempt(id, '/r1')).toEqual({ waitMs: 5 * SECOND });
    expect(await receiver.received(path)).toHaveLength(1);
  });

  test('a success of a run that was replaced closes the delivery, also for its successor', async () => {
    const { path, id } = await begin('status/500');
    await crash(id);
    await replaceRun(id, '/r1');
    expect(await finish(id, 200)).toMatchObject({ kind: 'end', result: { end: 'succeeded' } });
    expect(await bench.attempt(id, '/r1')).toEqual({ end: 'succeeded', attempts: 1 });
    expect(await receiver.received(path)).toHaveLength(0);
  });
});

describe('a test delivery', () => {
  test('sends the example to this endpoint only, marked as a test', async () => {
    const { merchant, endpoint, path } = await begin('status/200');
    const bystander = await begin('status/200', merchant);
    const id = await testWebhookEndpoint(merchant.ctx(), { events: WEBHOOK_EVENTS, id: endpoint.id, type: 'flag.resolved' });
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 1 });
    const [request] = await receiver.received(path);
    expect(JSON.parse(bytesOf(request ?? ({ body: '' } as never)).toString())).toMatchObject({
      type: 'flag.resolved',
      test: true,
      data: { type: 'manual_review' },
    });
    expect(await receiver.received(bystander.path)).toHaveLength(0);
    expect(await merchant.delivery(id)).toMatchObject({ trigger: 'test', attempts: [{ trigger: 'test' }] });
  });

  test('uses the first subscribed type by default, and is rejected while disabled', async () => {
    const { merchant, endpoint } = await begin('status/200');
    const id = await testWebhookEndpoint(merchant.ctx(), { events: WEBHOOK_EVENTS, id: endpoint.id });
    expect((await merchant.delivery(id)).eventType).toBe('payout.completed');
    await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await expect(testWebhookEndpoint(merchant.ctx(), { events: WEBHOOK_EVENTS, id: endpoint.id })).rejects.toMatchObject({
      details: { reason: 'ENDPOINT_DISABLED' },
    });
  });
});
