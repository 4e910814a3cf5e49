import { Webhook } from 'standardwebhooks';
import { getWebhookEndpoint } from '../../../src/domains/webhooks/endpoints/webhook-endpoints.queries.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import { recordLaneAttempts } from '../../../src/domains/webhooks/use-cases/record-lane-attempts.ts';
import { takeOverLane } from '../../../src/domains/webhooks/use-cases/take-over-lane.ts';
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { bytesOf, useReceiver } from '../../support/receiver/receiver.ts';
import { laneOfEndpoint, type TestMerchant, useWebhookBench, waitingInLane } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const begin = async (behaviour: string, merchant?: TestMerchant) => {
  const owner = merchant ?? (await bench.merchant());
  const path = `/${behaviour}/t${unique()}`;
  const endpoint = await owner.endpoint({ url: receiver.url(path) });
  return { merchant: owner, endpoint, path };
};

const emitMany = async (merchant: TestMerchant, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(...(await merchant.emit()));
  return ids;
};

const statusesOf = async (ids: readonly string[]): Promise<string[]> => {
  const { em } = bench.runtime.context({ kind: 'system', name: 'test' });
  const row = await firstRow(
    em,
    sql<{ found: string[] }>`select coalesce(array_agg(d.status order by d.id), '{}') as found from webhook_delivery d
      where d.id = any(${[...ids]}::uuid[])`,
  );
  return row?.found ?? [];
};

const all = (ids: readonly string[], status: string) => async (): Promise<boolean> =>
  (await statusesOf(ids)).every((found) => found === status);

const attemptsOf = async (merchant: TestMerchant, id: string) => (await merchant.delivery(id)).attempts;

describe('a successful first attempt', () => {
  test('sends the stored bytes once, signed, keeps a record, and starts no workflow', async () => {
    const { merchant, endpoint, path } = await begin('status/200');
    const ids = await emitMany(merchant, 5);
    expect(await bench.drainUntil(all(ids, 'succeeded'))).toEqual({ succeeded: 5, failed: 0 });
    const requests = await receiver.received(path);
    expect(requests).toHaveLength(5);
    for (const request of requests) {
      new Webhook(endpoint.signingSecret).verify(bytesOf(request).toString(), Object.fromEntries(request.headers));
    }
    for (const id of ids) {
      const delivery = await merchant.delivery(id);
      expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 1, nextAttemptAt: null });
      expect(delivery.attempts).toMatchObject([
        {
          number: 1,
          trigger: 'schedule',
          outcome: 'succeeded',
          httpStatus: 200,
          remoteIp: '127.0.0.1',
          responseExcerpt: 'status 200',
        },
      ]);
      expect(delivery.attempts[0]?.secretIds).toHaveLength(1);
      expect(await bench.outbox(id)).toEqual([]);
    }
  });

  test('events of one endpoint arrive in the order of their ids, the payouts first', async () => {
    const { merchant, path } = await begin('slow/5/200');
    await execute(
      merchant.ctx().em,
      sql`update webhook_endpoint set subscribed_events = '{payout.completed,flag.resolved}' where merchant_id = ${merchant.id}::uuid`,
    );
    const others: string[] = [];
    for (let i = 0; i < 12; i += 1) others.push(...(await merchant.emit({ type: 'flag.resolved' })));
    const payouts = await emitMany(merchant, 2);
    await bench.drainUntil(all([...others, ...payouts], 'succeeded'));
    const arrived = (await receiver.received(path)).map((request) => JSON.parse(bytesOf(request).toString()).type);
    expect(new Set(arrived.slice(0, 4)).has('payout.completed')).toBe(true);
    expect(arrived.indexOf('payout.completed')).toBeLessThan(4);
  });
});

describe('a failed first attempt', () => {
  test('enqueues a workflow for the delivery, which continues with the second attempt of the schedule', async () => {
    const { merchant, path } = await begin('sequence/500,200');
    const [id = ''] = await merchant.emit();
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 0);
    expect(await bench.outbox(id)).toEqual(['']);
    const waiting = await bench.attempt(id);
    expect((waiting as { waitMs: number }).waitMs).toBeLessThanOrEqual(5 * SECOND);
    bench.clock.advance(5 * SECOND);
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 2 });
    expect(await receiver.received(path)).toHaveLength(2);
    expect(await attemptsOf(merchant, id)).toMatchObject([
      { number: 1, outcome: 'failed', errorCode: 'http_5xx' },
      { number: 2, outcome: 'succeeded' },
    ]);
  });

  test('410 disables the endpoint, and what waits is parked', async () => {
    const { merchant, endpoint } = await begin('sequence/410,200');
    const ids = await emitMany(merchant, 3);
    await bench.drainUntil(async () => !(await statusesOf(ids)).includes('pending'));
    expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({ status: 'disabled' });
    expect((await statusesOf(ids)).filter((status) => status === 'parked').length).toBeGreaterThan(0);
  });
});

describe('disabling, enabling and deleting', () => {
  test('parks what waits; after enabling, each parked delivery is sent once', async () => {
    const { merchant, endpoint, path } = await begin('status/200');
    const ids = await emitMany(merchant, 20);
    await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await bench.drainUntil(all(ids, 'parked'));
    expect(await receiver.received(path)).toHaveLength(0);
    await enableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await bench.drainUntil(all(ids, 'succeeded'));
    expect(await receiver.received(path)).toHaveLength(20);
  });

  test('a resumed delivery that fails gets a workflow of its own', async () => {
    const { merchant, endpoint } = await begin('status/500');
    const [id = ''] = await merchant.emit();
    await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await bench.drainUntil(all([id], 'parked'));
    await enableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 0);
    expect(await bench.outbox(id)).toEqual(['/e1']);
  });

  test('cancels what waits at a deleted endpoint', async () => {
    const { merchant, endpoint, path } = await begin('status/200');
    const ids = await emitMany(merchant, 3);
    await deleteWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    await bench.drainUntil(all(ids, 'cancelled'));
    expect(await receiver.received(path)).toHaveLength(0);
  });
});

describe('an endpoint that fails', () => {
  test('opens its circuit breaker: what waits stays waiting, probes go out after a pause, a success lets the rest through', async () => {
    const failures = Array.from({ length: 14 }, () => '500').join(',');
    const { merchant, endpoint, path } = await begin(`sequence/${failures},200`);
    const ids = await emitMany(merchant, 40);
    const drainer = bench.drainer();
    const breaker = () =>
      firstRow(
        merchant.ctx().em,
        sql<{ failures: number; until: string | null }>`select breaker_failures as failures, breaker_until as until
          from webhook_endpoint where id = ${endpoint.id}::uuid`,
      );
    await bench.drainUntil(async () => (await breaker())?.failures === 1, { drainer });
    const tried = (await receiver.received(path)).length;
    expect(tried).toBeGreaterThanOrEqual(10);
    expect(tried).toBeLessThanOrEqual(13);
    while ((await receiver.received(path)).length < 15) {
      bench.clock.advance(15 * MINUTE);
      const before = (await receiver.received(path)).length;
      await bench.drainUntil(async () => (await receiver.received(path)).length > before, { drainer });
    }
    await bench.drainUntil(async () => (await statusesOf(ids)).filter((status) => status === 'succeeded').length === 26, {
      drainer,
    });
    expect(await breaker()).toEqual({ failures: 0, until: null });
  });

  test('an endpoint is disabled after 120 hours without a success', async () => {
    const { merchant, endpoint } = await begin('status/500');
    const ids = await emitMany(merchant, 30);
    const drainer = bench.drainer();
    const stored = () =>
      firstRow(
        merchant.ctx().em,
        sql<{ status: string; reason: string | null; failures: number }>`select status, disabled_reason as reason,
          breaker_failures as failures from webhook_endpoint where id = ${endpoint.id}::uuid`,
      );
    await bench.drainUntil(async () => (await stored())?.failures === 1, { drainer });
    bench.clock.advance(121 * HOUR);
    await bench.drainUntil(async () => (await stored())?.status === 'disabled', { drainer });
    expect(await stored()).toMatchObject({ reason: 'failing' });
    await bench.drainUntil(async () => (await statusesOf(ids)).filter((status) => status === 'parked').length >= 15, { drainer });
  });

  test('Retry-After holds back the other deliveries of the endpoint, too', async () => {
    const { merchant, path } = await begin('retry-after/503/120');
    const drainer = bench.drainer();
    const [first = ''] = await merchant.emit();
    await bench.drainUntil(async () => (await bench.outbox(first)).length > 0, { drainer });
    const [second = ''] = await merchant.emit();
    const other = await begin('status/200', merchant);
    const [, third = ''] = await merchant.emit();
    await bench.drainUntil(async () => (await receiver.received(other.path)).length > 0, { drainer });
    expect(await receiver.received(path)).toHaveLength(1);
    expect(await statusesOf([second])).toEqual(['pending']);
    bench.clock.advance(2 * MINUTE);
    await bench.drainUntil(async () => (await receiver.received(path)).length > 1, { drainer });
    expect(third).not.toBe('');
  });

  test.each(['status/500', 'retry-after/503/86400'])('%s: what was paused is sent at once to another URL', async (behaviour) => {
    const { merchant, endpoint, path } = await begin(behaviour);
    await emitMany(merchant, 30);
    const drainer = bench.drainer();
    const isPaused = () =>
      firstRow(
        merchant.ctx().em,
        sql`select 1 from webhook_endpoint where id = ${endpoint.id}::uuid and breaker_until is not null`,
      );
    await bench.drainUntil(async () => (await isPaused()) !== null, { drainer });
    const corrected = `/status/200/t${unique()}`;
    await updateWebhookEndpoint(merchant.ctx(), { id: endpoint.id, url: receiver.url(corrected) });
    const waiting = 30 - (await receiver.received(path)).length;
    await bench.drainUntil(async () => (await receiver.received(corrected)).length === waiting, { drainer });
    expect(await isPaused()).toBeNull();
  });
});

describe('ownership of a lane', () => {
  const system = () => bench.runtime.context({ kind: 'system', name: 'test' });
  const schedule = STANDARD_SCHEDULE;

  test('a process whose lane was taken over starts no attempt; what it had started is unknown and is sent again', async () => {
    const { merchant, endpoint, path } = await begin('status/200');
    const [id = ''] = await merchant.emit();
    const lane = laneOfEndpoint(endpoint.id);
    const { epoch } = await takeOverLane(system(), { lane });
    const start = await waitingInLane(merchant.ctx(), lane, [id]);
    expect(start).toHaveLength(1);
    const { started } = await recordLaneAttempts(system(), { lane, epoch, finished: [], start, schedule });
    expect(started).toMatchObject([{ n: 1, url: receiver.url(path) }]);

    const [other = ''] = await merchant.emit();
    const next = await takeOverLane(system(), { lane });
    expect(next).toEqual({ epoch: epoch + 1, lanes: 8 });
    const late = await recordLaneAttempts(system(), {
      lane,
      epoch,
      finished: [],
      start: await waitingInLane(merchant.ctx(), lane, [other]),
      schedule,
    });
    expect(late).toEqual({ isOwner: false, started: [] });
    await bench.drainUntil(all([id, other], 'succeeded'));
    expect(await attemptsOf(merchant, id)).toMatchObject([
      { number: 1, outcome: 'unknown', errorCode: 'worker_lost', finishedAt: null },
      { number: 2, outcome: 'succeeded' },
    ]);
    expect(await receiver.received(path)).toHaveLength(2);
  });

  test('a late result of the former owner is recorded: a success closes the delivery, a failure leaves it to the new owner', async () => {
    const { merchant, endpoint } = await begin('status/200');
    const lane = laneOfEndpoint(endpoint.id);
    for (const succeeded of [true, false]) {
      const [id = ''] = await merchant.emit();
      const { epoch } = await takeOverLane(system(), { lane });
      const start = await waitingInLane(merchant.ctx(), lane, [id]);
      const { started } = await recordLaneAttempts(system(), { lane, epoch, finished: [], start, schedule });
      await takeOverLane(system(), { lane });
      const finished = started.map(({ delivery, n }) => ({
        delivery,
        n,
        finishedAt: new Date(),
        report: { response: null, error: null, remoteIp: null, tls: null, timings: noTimings },
        outcome: { succeeded, error: succeeded ? null : ('reset' as const), minWaitMs: 0 },
      }));
      for (let times = 0; times < 2; times += 1) {
        expect(await recordLaneAttempts(system(), { lane, epoch, finished, start: [], schedule })).toMatchObject({
          isOwner: false,
        });
      }
      expect(await merchant.delivery(id)).toMatchObject({ status: succeeded ? 'succeeded' : 'pending', attemptCount: 1 });
      expect((await attemptsOf(merchant, id))[0]).toMatchObject({ outcome: succeeded ? 'succeeded' : 'failed' });
      expect(await bench.outbox(id)).toEqual([]);
    }
  });
});

const noTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
