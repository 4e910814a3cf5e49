import { getWebhookEndpoint } from '../../../src/domains/webhooks/endpoints/webhook-endpoints.queries.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import { finishDeliveryAttempt } from '../../../src/domains/webhooks/use-cases/finish-delivery-attempt.ts';
import { recordLaneAttempts } from '../../../src/domains/webhooks/use-cases/record-lane-attempts.ts';
import { resendWebhookDelivery } from '../../../src/domains/webhooks/use-cases/resend-webhook-delivery.ts';
import { takeOverLane } from '../../../src/domains/webhooks/use-cases/take-over-lane.ts';
import { unparkDeliveries } from '../../../src/domains/webhooks/use-cases/unpark-deliveries.ts';
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { useReceiver } from '../../support/receiver/receiver.ts';
import { laneOfEndpoint, useWebhookBench, waitingInLane } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();
const HOUR = 3_600_000;

const system = () => bench.runtime.context({ kind: 'system', name: 'test' });

const begin = async (behaviour: string) => {
  const merchant = await bench.merchant();
  const endpoint = await merchant.endpoint({ url: receiver.url(`/${behaviour}/t${unique()}`) });
  const [id = ''] = await merchant.emit();
  return { merchant, endpoint, id };
};

/** As a lane does: holds the endpoint and, once the attempt waits for it, changes the delivery. */
const besideLane = async (endpointId: string, id: string, attempt: () => Promise<unknown>): Promise<unknown> => {
  const attempting = await inTransaction(system(), async ({ em }) => {
    await execute(em, sql`select 1 from webhook_endpoint where id = ${endpointId}::uuid for update`);
    const running = { end: attempt() };
    await untilSomebodyWaits(bench);
    await execute(em, sql`update webhook_delivery set updated_at = updated_at where id = ${id}::uuid`);
    return running;
  });
  return attempting.end;
};

test('a resend that is answered with 410 and the resumption of the same delivery wait for each other in turn', async () => {
  const { merchant, endpoint, id } = await begin('status/410');
  await disableWebhookEndpoint(merchant.ctx(), endpoint);
  expect(await bench.attempt(id)).toMatchObject({ end: 'parked' });
  await enableWebhookEndpoint(merchant.ctx(), endpoint);
  await resendWebhookDelivery(merchant.ctx(), { id });
  expect(await besideLane(endpoint.id, id, () => bench.attempt(id, '/m1'))).toEqual({ end: 'failed', attempts: 1 });
  expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({ status: 'disabled' });
});

test.each([
  ['fails for a day', 'status/500', 0, { waitMs: 5_000 }],
  ['succeeds after a warning', 'status/200', 1, { end: 'succeeded', attempts: 1 }],
])(
  'a retry that %s and a lane that closes the same delivery wait for each other in turn',
  async (_name, behaviour, warnings, outcome) => {
    const { endpoint, id } = await begin(behaviour);
    await execute(system().em, sql`update webhook_endpoint set failing_warnings = ${warnings} where id = ${endpoint.id}::uuid`);
    bench.clock.advance(25 * HOUR);
    expect(await besideLane(endpoint.id, id, () => bench.attempt(id))).toEqual(outcome);
  },
);

test.each([
  ['enabled', enableWebhookEndpoint, { end: 'succeeded', attempts: 1 }],
  ['deleted', deleteWebhookEndpoint, { end: 'cancelled', attempts: 0 }],
])('an attempt that is due while its disabled endpoint is being %s waits for the outcome', async (_name, change, outcome) => {
  const { merchant, endpoint, id } = await begin('status/200');
  await disableWebhookEndpoint(merchant.ctx(), endpoint);
  await inTransaction(merchant.ctx(), async (ctx) => {
    await change(ctx, { id: endpoint.id });
    expect(await bench.attempt(id)).toEqual({ waitMs: 1_000 });
  });
  expect(await bench.attempt(id)).toEqual(outcome);
  await unparkDeliveries(system(), { endpointId: endpoint.id, limit: 10 });
});

describe('a lane that is taken over', () => {
  const schedule = STANDARD_SCHEDULE;
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
  const NOTHING = { response: null, error: null, remoteIp: null, tls: null, timings };

  const beginInLane = async (count: number) => {
    const { merchant, endpoint, id } = await begin('status/200');
    const ids = [id];
    while (ids.length < count) ids.push(...(await merchant.emit()));
    return { merchant, ids, lane: laneOfEndpoint(endpoint.id) };
  };

  /** Starts attempts as the new owner of the lane. */
  const startAttempts = async (lane: number, ids: readonly string[]) => {
    const { epoch } = await takeOverLane(system(), { lane });
    const start = await waitingInLane(system(), lane, ids);
    const { started } = await recordLaneAttempts(system(), { lane, epoch, finished: [], start, schedule });
    expect(started).toHaveLength(ids.length);
    return { epoch, started };
  };

  const finishedOf = ({ started }: Awaited<ReturnType<typeof startAttempts>>, ids: readonly string[]) =>
    ids.map((id) => {
      const { delivery, n } = started.find((attempt) => attempt.delivery.id === id) ?? {};
      if (!delivery || n === undefined) throw new Error('no attempt was started');
      const outcome = { succeeded: false, error: 'reset', minWaitMs: 0 } as const;
      return { delivery, n, finishedAt: bench.clock.now(), report: NOTHING, outcome };
    });

  const lock = (ctx: ReturnType<typeof system>, id: string) =>
    execute(ctx.em, sql`select 1 from webhook_delivery where id = ${id}::uuid for update`);

  test('waits for the former owner, who records a 410', async () => {
    const { merchant, ids, lane } = await beginInLane(1);
    const [id = ''] = ids;
    const [attempt] = (await startAttempts(lane, ids)).started;
    const takingOver = await inTransaction(system(), async (ctx) => {
      await lock(ctx, id);
      const running = { end: takeOverLane(system(), { lane }) };
      await untilSomebodyWaits(bench);
      const headers = {};
      const response = { status: 410, headers, retryAfter: [], excerpt: Buffer.alloc(0), truncated: false };
      const report = { ...NOTHING, response };
      await finishDeliveryAttempt(ctx, { deliveryId: id, suffix: '', n: attempt?.n ?? 0, report, schedule });
      return running;
    });
    expect(await takingOver.end).toEqual({ epoch: expect.any(Number), lanes: 8 });
    expect(await merchant.delivery(id)).toMatchObject({ status: 'parked', attempts: [{ outcome: 'failed', errorCode: 'gone' }] });
  });

  test('waits for an owner before the last one, who records the outcomes of several deliveries', async () => {
    const { merchant, ids, lane } = await beginInLane(3);
    const [first = '', second = '', third = ''] = ids;
    const former = await startAttempts(lane, ids);
    await startAttempts(lane, ids);
    const finished = finishedOf(former, [second, third, first]);
    const running = await inTransaction(system(), async (ctx) => {
      await lock(ctx, third);
      const recording = recordLaneAttempts(system(), { lane, epoch: former.epoch, finished, start: [], schedule });
      await untilSomebodyWaits(bench);
      const takingOver = takeOverLane(system(), { lane });
      await untilSomebodyWaits(bench, 2);
      return { end: Promise.all([recording, takingOver]) };
    });
    expect(await running.end).toEqual([
      { isOwner: false, started: [] },
      { epoch: former.epoch + 2, lanes: 8 },
    ]);
    for (const id of ids)
      expect((await merchant.delivery(id)).attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'unknown' }]);
  });

  test('the lane is locked by its owner before the deliveries whose outcomes are recorded', async () => {
    const { ids, lane } = await beginInLane(2);
    const owner = await startAttempts(lane, ids);
    const finished = finishedOf(owner, ids.toReversed());
    const recording = await inTransaction(system(), async (ctx) => {
      await execute(ctx.em, sql`select 1 from webhook_lane where lane = ${lane} for update`);
      const running = { end: recordLaneAttempts(system(), { lane, epoch: owner.epoch, finished, start: [], schedule }) };
      await untilSomebodyWaits(bench);
      await takeOverLane(ctx, { lane });
      return running;
    });
    expect(await recording.end).toEqual({ isOwner: false, started: [] });
  });
});
