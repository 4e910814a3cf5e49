import { randomUUID } from 'node:crypto';
import { WEBHOOK_EVENTS } from '../../../src/api/webhook-events.ts';
import type { DomainEvent } from '../../../src/contracts/events.ts';
import type { ReplayedStatus } from '../../../src/contracts/webhooks.ts';
import { createProgram } from '../../../src/domains/programs/index.ts';
import { getWebhookReplay } from '../../../src/domains/webhooks/deliveries/webhook-replays.queries.ts';
import { replayNextEvents } from '../../../src/domains/webhooks/use-cases/replay-next-events.ts';
import { testWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/test-webhook-endpoint.ts';
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import {
  cancelWebhookReplay,
  type ReplayWebhookEndpointInput,
  replayWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-replay.ts';
import { emit, inTransaction } from '../../../src/platform/context.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { bytesOf, useReceiver } from '../../support/receiver/receiver.ts';
import { pause, until } from '../../support/until.ts';
import { type TestMerchant, useWebhookBench } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

const system = () => bench.runtime.context({ kind: 'system', name: 'test' });

interface Delivery {
  id: string;
  eventId: string;
  status: string;
  trigger: string;
  attempts: number;
  autoAttempts: number;
}

const deliveriesTo = (endpointId: string): Promise<Delivery[]> =>
  rows(
    system().em,
    sql<Delivery>`select id, event_id as "eventId", status, trigger, attempts, auto_attempts as "autoAttempts"
      from webhook_delivery where endpoint_id = ${endpointId}::uuid order by id`,
  );

const eventsOf = async (merchant: TestMerchant): Promise<string[]> => {
  const found = await rows(
    system().em,
    sql<{
      id: string;
    }>`select id from webhook_event where merchant_id = ${merchant.id}::uuid and type like 'payout.%' order by id`,
  );
  return found.map(({ id }) => id);
};

const begin = async (behaviour = 'status/200') => {
  const merchant = await bench.merchant();
  const path = `/${behaviour}/r${unique()}`;
  const { id } = await merchant.endpoint({ url: receiver.url(path) });
  const since = new Date().toISOString();
  const end = { id };
  return {
    merchant,
    id,
    path,
    disable: () => disableWebhookEndpoint(merchant.ctx(), end),
    enable: () => enableWebhookEndpoint(merchant.ctx(), end),
    deliveries: () => deliveriesTo(id),
    start: async (more: Partial<ReplayWebhookEndpointInput> = {}) =>
      (await replayWebhookEndpoint(merchant.ctx(), { ...end, since, ...more })).id,
    drainUntil: (isExpected: (found: Delivery[]) => boolean) => bench.drainUntil(async () => isExpected(await deliveriesTo(id))),
  };
};

type Endpoint = Awaited<ReturnType<typeof begin>>;

/** One batch of the replay, once transactions of other tests that were open at its start have ended. */
const step = (replayId: string, { limit = 500 } = {}) =>
  until(
    'the replay need not wait for older transactions',
    () => replayNextEvents(system(), { replayId, limit }),
    ({ waitMs }) => waitMs === 0,
  );

const emitMissing = async (endpoint: Endpoint, count: number): Promise<void> => {
  await endpoint.disable();
  for (let n = 0; n < count; n++) expect(await endpoint.merchant.emit()).toEqual([]);
  await endpoint.enable();
};

const all = (status: string, count: number) => (found: Delivery[]) =>
  found.length === count && found.every((delivery) => delivery.status === status);

const setStatus = (id: string, status: string) =>
  execute(
    system().em,
    sql`update webhook_delivery set status = ${status}, next_attempt_at = null, auto_attempts = 10 where id = ${id}::uuid`,
  );

/** Runs a replay to its end; returns how many deliveries it queued. */
const replayed = async (endpoint: Endpoint, status?: readonly ReplayedStatus[]): Promise<number> =>
  (await step(await endpoint.start({ status }))).deliveriesQueued;

describe('events without a delivery', () => {
  test('arrive once each after the endpoint was disabled; a second replay sends nothing', async () => {
    const endpoint = await begin();
    await emitMissing(endpoint, 3);
    const replayId = await endpoint.start();
    expect(await step(replayId)).toEqual({
      state: 'completed',
      cancelReason: null,
      eventsExamined: 3,
      deliveriesQueued: 3,
      waitMs: 0,
    });
    await endpoint.drainUntil(all('succeeded', 3));
    const found = await endpoint.deliveries();
    const events = await eventsOf(endpoint.merchant);
    expect(found.map(({ eventId }) => eventId)).toEqual(events);
    expect(found.map(({ trigger, attempts }) => ({ trigger, attempts }))).toEqual(
      events.map(() => ({ trigger: 'replay', attempts: 1 })),
    );
    const arrived = (await receiver.received(endpoint.path)).map((request) => JSON.parse(bytesOf(request).toString()).id);
    expect(arrived.sort()).toEqual(events);
    expect(await replayed(endpoint)).toBe(0);
    expect((await endpoint.merchant.delivery(found[0]?.id ?? '')).attempts).toMatchObject([{ number: 1, trigger: 'replay' }]);
  });

  test('a replay that crashes between batches continues after the last one that was committed', async () => {
    const endpoint = await begin();
    await emitMissing(endpoint, 5);
    const replayId = await endpoint.start();
    expect(await step(replayId, { limit: 2 })).toMatchObject({ state: 'running', eventsExamined: 2, deliveriesQueued: 2 });
    await expect(
      inTransaction(system(), async (ctx) => {
        await replayNextEvents(ctx, { replayId, limit: 2 });
        throw new Error('crashed before the commit');
      }),
    ).rejects.toThrow('crashed');
    expect(await step(replayId, { limit: 2 })).toMatchObject({ state: 'running', eventsExamined: 4, deliveriesQueued: 4 });
    const [last, same] = await Promise.all([step(replayId, { limit: 2 }), step(replayId, { limit: 2 })]);
    expect(last).toEqual(same);
    expect(last).toMatchObject({ state: 'completed', eventsExamined: 5, deliveriesQueued: 5 });
    expect((await endpoint.deliveries()).map(({ eventId }) => eventId)).toEqual(await eventsOf(endpoint.merchant));
  });

  test('an event that is committed late, at whatever time, is not passed over', async () => {
    const endpoint = await begin();
    await endpoint.disable();
    const emitted = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const committing = inTransaction(endpoint.merchant.ctx(), async (ctx) => {
      const { id: merchantId, programId } = endpoint.merchant;
      // The payload does not matter to a replay.
      await emit(ctx, { type: 'payout.completed', merchantId, programId, data: { id: randomUUID() } } as DomainEvent);
      emitted.resolve();
      await mayCommit.promise;
    });
    await emitted.promise;
    await endpoint.merchant.emit();
    await endpoint.enable();
    const replayId = await endpoint.start();
    bench.clock.advance(60 * 60_000);
    expect(await replayNextEvents(system(), { replayId, limit: 500 })).toMatchObject({
      ...{ state: 'running', eventsExamined: 0, waitMs: 1_000 },
    });
    mayCommit.resolve();
    await committing;
    expect(await step(replayId)).toMatchObject({ state: 'completed', eventsExamined: 2, deliveriesQueued: 2 });
  });

  test('the events of a server whose clock is ahead are examined, and none of transactions that began after the replay', async () => {
    const endpoint = await begin();
    await emitMissing(endpoint, 1);
    const aheadMs = bench.clock.now().getTime() - Date.now() + 2_000;
    bench.clock.advance(-aheadMs);
    const starting = endpoint.start({ since: new Date(Date.now() - 60_000).toISOString() });
    const replayId = await starting.finally(() => bench.clock.advance(aheadMs));
    const [later] = await endpoint.merchant.emit();
    // The program of the merchant, and the event that is missing.
    expect(await step(replayId)).toMatchObject({ state: 'completed', eventsExamined: 2, deliveriesQueued: 1 });
    expect(await endpoint.deliveries()).toMatchObject([{ id: later, trigger: 'schedule' }, { trigger: 'replay' }]);
  });

  test('a range that ends in the past ends by time', async () => {
    const endpoint = await begin();
    await emitMissing(endpoint, 1);
    const end = new Date().toISOString();
    await pause(5, 'the other event happens in a later millisecond');
    await emitMissing(endpoint, 1);
    expect(await step(await endpoint.start({ until: end }))).toMatchObject({ state: 'completed', eventsExamined: 1 });
  });

  test('only events of the program and the types are sent, and no test events', async () => {
    const merchant = await bench.merchant();
    const since = new Date().toISOString();
    const other = await createProgram(system(), {
      merchantId: merchant.id,
      name: 'Other',
      commissionType: 'one_time',
      commissionPercent: 10,
    });
    const subscribedEvents = ['payout.completed', 'payout.failed'] as const;
    const url = receiver.url(`/status/200/r${unique()}`);
    const { programId } = merchant;
    const { id } = await merchant.endpoint({ url, subscribedEvents, programId });
    await testWebhookEndpoint(merchant.ctx(), { id, events: WEBHOOK_EVENTS });
    await disableWebhookEndpoint(merchant.ctx(), { id });
    for (const type of ['payout.completed', 'payout.failed', 'payout.created'] as const) {
      await merchant.emit({ type });
      await merchant.emit({ type, programId: other.id });
    }
    await enableWebhookEndpoint(merchant.ctx(), { id });
    const replay = async (more: object) => step((await replayWebhookEndpoint(merchant.ctx(), { id, since, ...more })).id);
    expect(await replay({ types: ['payout.failed'] })).toMatchObject({ deliveriesQueued: 1 });
    expect(await replay({ status: ['missing', 'exhausted', 'succeeded'] })).toMatchObject({ deliveriesQueued: 1 });
    const types = await rows(
      system().em,
      sql<{ type: string }>`select e.type from webhook_delivery d join webhook_event e on e.id = d.event_id
        where d.endpoint_id = ${id}::uuid and d.trigger = 'replay' order by e.id`,
    );
    expect(types.map(({ type }) => type)).toEqual(['payout.completed', 'payout.failed']);
  });
});

describe('deliveries that exist', () => {
  test('one that is exhausted is sent again under the same webhook-id, with a new schedule and a workflow of its own', async () => {
    const endpoint = await begin('status/500');
    const [id = ''] = await endpoint.merchant.emit();
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 0);
    await setStatus(id, 'exhausted');
    expect(await replayed(endpoint)).toBe(1);
    expect(await endpoint.deliveries()).toMatchObject([{ status: 'pending', trigger: 'replay', attempts: 1, autoAttempts: 0 }]);
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 1);
    expect(await bench.outbox(id)).toEqual(['', '/p1']);
    expect(await endpoint.deliveries()).toMatchObject([{ status: 'pending', attempts: 2, autoAttempts: 1 }]);
    const { waitMs } = (await bench.attempt(id, '/p1')) as { waitMs: number };
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(5_000);
    const [first, second] = await receiver.received(endpoint.path);
    expect(first && second && [second.body, new Map(second.headers).get('webhook-id')]).toEqual(
      first && [first.body, new Map(first.headers).get('webhook-id')],
    );
    await setStatus(id, 'exhausted');
    expect(await replayed(endpoint)).toBe(1);
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 2);
    expect(await bench.outbox(id)).toEqual(['', '/p1', '/p2']);
  });

  test('one that is replayed, parked with its endpoint and resumed continues under the name of the resumption', async () => {
    const endpoint = await begin('status/500');
    await emitMissing(endpoint, 1);
    expect(await replayed(endpoint)).toBe(1);
    await endpoint.disable();
    await endpoint.drainUntil(all('parked', 1));
    await endpoint.enable();
    const [{ id } = { id: '' }] = await endpoint.deliveries();
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 0);
    expect(await bench.outbox(id)).toEqual(['/e2']);
  });

  test('one that succeeded is sent again on request only; a pending or parked one is never touched', async () => {
    const endpoint = await begin();
    const [succeeded = ''] = await endpoint.merchant.emit();
    await endpoint.drainUntil(all('succeeded', 1));
    const [parked = ''] = await endpoint.merchant.emit();
    const [pending = ''] = await endpoint.merchant.emit();
    await setStatus(parked, 'parked');
    expect(await replayed(endpoint)).toBe(0);
    expect(await replayed(endpoint, ['missing', 'exhausted', 'succeeded'])).toBe(1);
    expect(await endpoint.deliveries()).toMatchObject([
      { id: succeeded, status: 'pending', trigger: 'replay' },
      { id: parked, status: 'parked', trigger: 'schedule' },
      { id: pending, status: 'pending', trigger: 'schedule' },
    ]);
    await endpoint.drainUntil((found) => found.filter(({ status }) => status === 'succeeded').length === 2);
    expect(await receiver.received(endpoint.path)).toHaveLength(3);
  });
});

describe('a replay whose work ends', () => {
  test.each([
    ['by request', 'requested', ({ merchant }: Endpoint, id: string) => cancelWebhookReplay(merchant.ctx(), { id })],
    ['because its endpoint is disabled', 'endpoint_disabled', ({ disable }: Endpoint) => disable()],
    [
      'because its endpoint is deleted',
      'endpoint_deleted',
      ({ merchant, id }: Endpoint) => deleteWebhookEndpoint(merchant.ctx(), { id }),
    ],
  ])('%s queues nothing more', async (_why, cancelReason, end) => {
    const endpoint = await begin();
    await emitMissing(endpoint, 3);
    const replayId = await endpoint.start();
    await step(replayId, { limit: 1 });
    await end(endpoint, replayId);
    expect(await step(replayId, { limit: 1 })).toMatchObject({ state: 'cancelled', cancelReason, deliveriesQueued: 1 });
    expect(await step(replayId)).toMatchObject({ state: 'cancelled', deliveriesQueued: 1 });
    expect(await endpoint.deliveries()).toHaveLength(1);
    expect((await getWebhookReplay(endpoint.merchant.ctx(), replayId)).completedAt).not.toBeNull();
  });
});
