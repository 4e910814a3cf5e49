import { getWebhookEndpoint } from '../../../src/domains/webhooks/endpoints/webhook-endpoints.queries.ts';
import { finishDeliveryAttempt, STANDARD_SCHEDULE, startDeliveryAttempt } from '../../../src/domains/webhooks/index.ts';
import { recordLaneAttempts } from '../../../src/domains/webhooks/use-cases/record-lane-attempts.ts';
import { resendWebhookDelivery } from '../../../src/domains/webhooks/use-cases/resend-webhook-delivery.ts';
import { takeOverLane } from '../../../src/domains/webhooks/use-cases/take-over-lane.ts';
import { deleteWebhookEndpoint, disableWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { bytesOf, headerOf, useReceiver } from '../../support/receiver/receiver.ts';
import { laneOfEndpoint, type TestMerchant, useWebhookBench, waitingInLane } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();
const schedule = STANDARD_SCHEDULE;
const SECOND = 1_000;

const system = () => bench.runtime.context({ kind: 'system', name: 'test' });

const begin = async (behaviour: string) => {
  const merchant = await bench.merchant();
  const path = `/${behaviour}/t${unique()}`;
  const endpoint = await merchant.endpoint({ url: receiver.url(path) });
  const [id = ''] = await merchant.emit();
  const resend = () => resendWebhookDelivery(merchant.ctx(), { id });
  return { merchant, path, endpoint, id, resend };
};

const stateOf = (merchant: TestMerchant, id: string) =>
  firstRow(
    merchant.ctx().em,
    sql<{ status: string; autoAttempts: number; inLane: boolean; isOpen: boolean }>`select status,
      auto_attempts as "autoAttempts", in_lane as "inLane", resend_requested_at is not null as "isOpen"
      from webhook_delivery where id = ${id}::uuid`,
  );

const startOf = (deliveryId: string, suffix: string) => startDeliveryAttempt(system(), { deliveryId, suffix, schedule });

test.each(['exhausted', 'succeeded', 'cancelled', 'parked'])(
  'a delivery that is %s is sent once more with the same bytes and webhook-id, and is succeeded',
  async (status) => {
    const { merchant, path, id, resend } = await begin('sequence/500,200');
    await bench.attempt(id);
    await execute(
      merchant.ctx().em,
      sql`update webhook_delivery set status = ${status}, next_attempt_at = null where id = ${id}::uuid`,
    );
    await resend();
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'succeeded', attempts: 2 });
    expect(await merchant.delivery(id)).toMatchObject({
      status: 'succeeded',
      attemptCount: 2,
      attempts: [{ trigger: 'schedule' }, { number: 2, trigger: 'manual', outcome: 'succeeded' }],
    });
    const [first, second] = await receiver.received(path);
    if (!first || !second) throw new Error('two requests are expected');
    expect(bytesOf(second)).toEqual(bytesOf(first));
    expect(headerOf(second, 'webhook-id')).toBe(headerOf(first, 'webhook-id'));
    expect(await stateOf(merchant, id)).toMatchObject({ autoAttempts: 1, isOpen: false });
  },
);

test.each(['exhausted', 'succeeded', 'cancelled'])(
  'a resend that is not accepted leaves a delivery that is %s as it was',
  async (status) => {
    const { merchant, id, resend } = await begin('status/500');
    await execute(
      merchant.ctx().em,
      sql`update webhook_delivery set status = ${status}, next_attempt_at = null where id = ${id}::uuid`,
    );
    const before = await merchant.delivery(id);
    await resend();
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'failed', attempts: 1 });
    const { attempts, attemptCount, ...after } = await merchant.delivery(id);
    expect({ ...after, attempts: [], attemptCount: 0 }).toEqual(before);
    expect([attempts, attemptCount]).toMatchObject([[{ trigger: 'manual', outcome: 'failed', httpStatus: 500 }], 1]);
  },
);

describe('while a delivery waits for its next retry', () => {
  test('a success ends the schedule', async () => {
    const { merchant, path, id, resend } = await begin('sequence/500,200');
    expect(await bench.attempt(id)).toEqual({ waitMs: 5 * SECOND });
    await resend();
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'succeeded', attempts: 2 });
    bench.clock.advance(5 * SECOND);
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 2 });
    expect(await receiver.received(path)).toHaveLength(2);
    expect(await merchant.delivery(id)).toMatchObject({ status: 'succeeded', nextAttemptAt: null });
  });

  test('a failure changes neither the schedule nor the number of scheduled attempts', async () => {
    const { merchant, id, resend } = await begin('status/500');
    await bench.attempt(id);
    const { nextAttemptAt } = await merchant.delivery(id);
    for (const run of ['/m1', '/m2', '/m3']) {
      await resend();
      expect(await bench.attempt(id, run)).toMatchObject({ end: 'failed' });
    }
    expect(await merchant.delivery(id)).toMatchObject({ status: 'pending', nextAttemptAt, attemptCount: 4 });
    expect(await stateOf(merchant, id)).toMatchObject({ autoAttempts: 1 });
    bench.clock.advance(5 * SECOND);
    expect(await bench.attempt(id)).toEqual({ waitMs: 300 * SECOND });
    expect((await merchant.delivery(id)).attempts.map(({ trigger }) => trigger)).toEqual([
      'schedule',
      'manual',
      'manual',
      'manual',
      'schedule',
    ]);
  });

  test('a resend and a scheduled attempt at the same time get numbers of their own', async () => {
    const { merchant, path, id, resend } = await begin('slow/100/500');
    await bench.attempt(id);
    bench.clock.advance(5 * SECOND);
    await resend();
    const [scheduled, manual] = await Promise.all([bench.attempt(id), bench.attempt(id, '/m1')]);
    expect([scheduled, manual]).toEqual([{ waitMs: 300 * SECOND }, { end: 'failed', attempts: 3 }]);
    expect((await merchant.delivery(id)).attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'failed'],
    ]);
    expect(await receiver.received(path)).toHaveLength(3);
    expect(await stateOf(merchant, id)).toMatchObject({ status: 'pending', autoAttempts: 2, isOpen: false });
  });
});

describe('a lost worker', () => {
  test('an attempt without an outcome is unknown, and the resend sends again', async () => {
    const { merchant, path, id, resend } = await begin('status/500');
    await bench.attempt(id);
    await resend();
    expect(await startOf(id, '/m1')).toMatchObject({ kind: 'send', n: 2 });
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'failed', attempts: 3 });
    expect((await merchant.delivery(id)).attempts).toMatchObject([
      { trigger: 'schedule' },
      { trigger: 'manual', outcome: 'unknown', errorCode: 'worker_lost' },
      { trigger: 'manual', outcome: 'failed' },
    ]);
    expect(await receiver.received(path)).toHaveLength(2);
  });

  test.each([
    ['200', 'succeeded'],
    ['500', 'failed'],
  ])('an outcome %s that was recorded is not sent again, and the run ends as %s', async (status, end) => {
    const { merchant, path, id, resend } = await begin(`status/${status}`);
    await resend();
    await bench.attempt(id, '/m1');
    expect(await bench.attempt(id, '/m1')).toEqual({ end, attempts: 1 });
    await resend();
    await bench.attempt(id, '/m2');
    expect(await bench.attempt(id, '/m1')).toEqual({ end, attempts: 2 });
    expect(await receiver.received(path)).toHaveLength(2);
    expect(await stateOf(merchant, id)).toMatchObject({ isOpen: false });
  });

  test('a run that was not requested sends nothing', async () => {
    const { path, id } = await begin('status/200');
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'closed', attempts: 0 });
    expect(await receiver.received(path)).toHaveLength(0);
  });
});

describe('an endpoint that was disabled or deleted after the request', () => {
  test.each([
    ['disabled', disableWebhookEndpoint],
    ['deleted', deleteWebhookEndpoint],
  ])('%s: nothing is sent, and the request is closed', async (_name, change) => {
    const { merchant, path, endpoint, id, resend } = await begin('status/200');
    await resend();
    await change(merchant.ctx(), { id: endpoint.id });
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'not_sent', attempts: 0 });
    expect(await receiver.received(path)).toHaveLength(0);
    expect(await stateOf(merchant, id)).toMatchObject({ status: 'pending', isOpen: false });
  });

  test('410 disables it, and the delivery is left to its schedule', async () => {
    const { merchant, endpoint, id, resend } = await begin('sequence/500,410');
    await bench.attempt(id);
    await resend();
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'failed', attempts: 2 });
    expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({ status: 'disabled' });
    expect(await stateOf(merchant, id)).toMatchObject({ status: 'pending', autoAttempts: 1 });
    bench.clock.advance(5 * SECOND);
    expect(await bench.attempt(id)).toEqual({ end: 'parked', attempts: 2 });
  });
});

describe('while a delivery waits in its lane', () => {
  const noTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
  const failed = { succeeded: false, error: 'reset' as const, minWaitMs: 0 };
  const report = { response: null, error: null, remoteIp: null, tls: null, timings: noTimings };

  test('a resend that fails leaves the first attempt to the lane, which counts as the first of the schedule', async () => {
    const { merchant, path, id, resend } = await begin('status/500');
    await resend();
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'failed', attempts: 1 });
    expect(await stateOf(merchant, id)).toMatchObject({ status: 'pending', inLane: true, autoAttempts: 0 });
    await bench.drainUntil(async () => (await bench.outbox(id)).includes(''));
    expect(await stateOf(merchant, id)).toMatchObject({ status: 'pending', inLane: false, autoAttempts: 1 });
    expect((await merchant.delivery(id)).attempts).toMatchObject([{ trigger: 'manual' }, { number: 2, trigger: 'schedule' }]);
    expect(await receiver.received(path)).toHaveLength(2);
  });

  test('a resend that succeeds takes it out of the lane', async () => {
    const { merchant, endpoint, path, id, resend } = await begin('status/200');
    await resend();
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'succeeded', attempts: 1 });
    expect(await waitingInLane(system(), laneOfEndpoint(endpoint.id), [id])).toEqual([]);
    expect(await receiver.received(path)).toHaveLength(1);
    expect(await merchant.delivery(id)).toMatchObject({ status: 'succeeded', attemptCount: 1 });
  });

  test('a resend waits while an attempt of the lane is in flight, whose outcome is counted', async () => {
    const { merchant, endpoint, id, resend } = await begin('status/500');
    const lane = laneOfEndpoint(endpoint.id);
    const { epoch } = await takeOverLane(system(), { lane });
    const start = await waitingInLane(system(), lane, [id]);
    const { started } = await recordLaneAttempts(system(), { lane, epoch, finished: [], start, schedule });
    await resend();
    bench.clock.advance(60 * SECOND);
    expect(await bench.attempt(id, '/m1')).toEqual({ waitMs: SECOND });
    const finished = started.map(({ delivery, n }) => ({ delivery, n, finishedAt: bench.clock.now(), report, outcome: failed }));
    await recordLaneAttempts(system(), { lane, epoch, finished, start: [], schedule });
    expect(await stateOf(merchant, id)).toMatchObject({ inLane: false, autoAttempts: 1 });
    expect(await bench.attempt(id, '/m1')).toEqual({ end: 'failed', attempts: 2 });
    expect((await merchant.delivery(id)).attempts).toMatchObject([
      { number: 1, trigger: 'schedule', outcome: 'failed', errorCode: 'reset' },
      { number: 2, trigger: 'manual', outcome: 'failed', errorCode: 'http_5xx' },
    ]);
  });

  test('an attempt of the lane that starts while a resend is in flight is counted once', async () => {
    const { merchant, endpoint, id, resend } = await begin('status/500');
    const lane = laneOfEndpoint(endpoint.id);
    const { epoch } = await takeOverLane(system(), { lane });
    const early = await waitingInLane(system(), lane, [id]);
    await resend();
    expect(await startOf(id, '/m1')).toMatchObject({ kind: 'send', n: 1 });
    const refused = await recordLaneAttempts(system(), { lane, epoch, finished: [], start: early, schedule });
    expect(refused.started).toEqual([]);
    const start = await waitingInLane(system(), lane, [id]);
    const { started } = await recordLaneAttempts(system(), { lane, epoch, finished: [], start, schedule });
    expect(started).toMatchObject([{ n: 2 }]);
    await finishDeliveryAttempt(system(), { deliveryId: id, suffix: '/m1', n: 1, report, schedule });
    const finished = started.map(({ delivery, n }) => ({ delivery, n, finishedAt: bench.clock.now(), report, outcome: failed }));
    for (let times = 0; times < 2; times += 1) {
      await recordLaneAttempts(system(), { lane, epoch, finished, start: [], schedule });
    }
    expect(await stateOf(merchant, id)).toEqual({ status: 'pending', inLane: false, autoAttempts: 1, isOpen: false });
    expect(await merchant.delivery(id)).toMatchObject({
      attemptCount: 2,
      attempts: [
        { trigger: 'manual', outcome: 'failed' },
        { trigger: 'schedule', outcome: 'failed' },
      ],
    });
  });
});
