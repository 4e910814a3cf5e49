import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../src/platform/context.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import type { Dispatch } from '../../src/relay/dispatch.ts';
import { createRelay, outboxHealth } from '../../src/relay/relay.ts';
import { type OutboxEntry, routeOf, type WorkflowStart } from '../../src/relay/routing.ts';
import { useTestApi } from '../support/api.ts';

const api = useTestApi();
beforeEach(() => context().em.execute('delete from outbox'));

const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const payload = { merchantId: randomUUID(), endpointId: randomUUID() };

const enqueueOne = async (subjectId = api.runtime.ids.next(), suffix = '') => {
  await inTransaction(context(), (ctx) => enqueue(ctx, { topic: 'webhook.deliver', subjectId, suffix, payload }));
  return subjectId;
};

const waiting = () =>
  rows(
    context().em,
    sql<{ subject: string; attempts: number; error: string | null; held: boolean }>`
      select subject_id as subject, attempts, last_error as error, coalesce(lease_expires_at > now(), false) as held from outbox order by seq`,
  );

/** A relay that passes its starts to `dispatch`; the workflow id is the row's subject. */
const relayTo = (dispatch: Dispatch, batch = 100) =>
  createRelay({
    orm: api.runtime.orm,
    ids: api.runtime.ids,
    log: api.runtime.log,
    dispatch,
    route: (entry: OutboxEntry) => ({ workflowId: entry.subjectId }) as WorkflowStart,
    batch,
  });

it('relays each waiting row and removes it', async () => {
  const subjects = [await enqueueOne(), await enqueueOne(), await enqueueOne()];
  const dispatched: string[] = [];
  expect(await relayTo(async (start) => void dispatched.push(start.workflowId)).round()).toBe(3);
  expect(dispatched.sort()).toEqual(subjects.sort());
  expect(await waiting()).toEqual([]);
});

it('five concurrent relays dispatch each row once', async () => {
  for (let n = 0; n < 200; n++) await enqueueOne();
  const dispatched: string[] = [];
  const relays = Array.from({ length: 5 }, () => relayTo(async (start) => void dispatched.push(start.workflowId), 10));
  for (let round = 0; round < 10; round++) await Promise.all(relays.map((relay) => relay.round()));
  expect(dispatched).toHaveLength(200);
  expect(new Set(dispatched).size).toBe(200);
});

it('keeps a row that cannot be dispatched with its error, and relays the others', async () => {
  const poisoned = await enqueueOne();
  const other = await enqueueOne();
  const dispatched: string[] = [];
  const dispatch: Dispatch = async (start) => {
    if (start.workflowId === poisoned) throw new Error('no such workflow');
    dispatched.push(start.workflowId);
  };
  expect(await relayTo(dispatch).round()).toBe(1);
  expect(dispatched).toEqual([other]);
  expect(await waiting()).toEqual([{ subject: poisoned, attempts: 1, error: 'Error: no such workflow', held: true }]);
});

it('claims the rows of a dead relay when their lease has expired, not before', async () => {
  const subject = await enqueueOne();
  await context().em.execute(`update outbox set lease_expires_at = now() + interval '20 seconds', lease_id = ?, attempts = 1`, [
    api.runtime.ids.next(),
  ]);
  const dispatched: string[] = [];
  const relay = relayTo(async (start) => void dispatched.push(start.workflowId));
  expect(await relay.round()).toBe(0);
  await context().em.execute(`update outbox set lease_expires_at = now() - interval '1 second'`);
  expect(await relay.round()).toBe(1);
  expect(dispatched).toEqual([subject]);
});

it('releases rows that were not dispatched when it stops', async () => {
  for (let n = 0; n < 40; n++) await enqueueOne();
  const dispatched: string[] = [];
  const relay = relayTo(async (start) => {
    dispatched.push(start.workflowId);
    relay.stop();
  });
  await relay.round();
  const left = await waiting();
  expect(dispatched.length + left.length).toBe(40);
  expect(left.length).toBeGreaterThan(0);
  expect(left.filter((row) => row.held)).toEqual([]);
});

it('relays a row again that is enqueued during its dispatch', async () => {
  const subject = await enqueueOne();
  const dispatched: string[] = [];
  const relay = relayTo(async (start) => {
    dispatched.push(start.workflowId);
    if (dispatched.length === 1) await enqueueOne(subject);
  });
  await relay.round();
  expect(await waiting()).toMatchObject([{ subject, held: false }]);
  await relay.round();
  expect(dispatched).toEqual([subject, subject]);
  expect(await waiting()).toEqual([]);
});

it('enqueueing an equal waiting row changes nothing', async () => {
  const subject = await enqueueOne();
  await enqueueOne(subject);
  expect(await waiting()).toHaveLength(1);
});

it('a transaction that rolls back enqueues nothing', async () => {
  await expect(
    inTransaction(context(), async (ctx) => {
      await enqueue(ctx, { topic: 'webhook.deliver', subjectId: ctx.ids.next(), suffix: '', payload });
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await waiting()).toEqual([]);
});

it('reports how many rows are waiting, and the age of the oldest', async () => {
  await enqueueOne();
  await context().em.execute(`update outbox set created_at = now() - interval '90 seconds'`);
  const health = await outboxHealth(api.runtime.orm);
  expect(health.waiting).toBe(1);
  expect(health.oldestSeconds).toBeGreaterThanOrEqual(90);
});

it('an age is never rounded below the time that has passed', async () => {
  await enqueueOne();
  for (let n = 0; n < 50; n++) {
    await context().em.execute('update outbox set created_at = now()');
    expect((await outboxHealth(api.runtime.orm)).oldestSeconds).toBeGreaterThanOrEqual(0);
  }
});

it('routes every topic, and rejects one that it does not know', () => {
  const message = { seq: '1', topic: 'webhook.deliver', subjectId: 'd1', suffix: '/m1', payload } as const;
  expect(routeOf(message)).toMatchObject({
    workflowType: 'webhookDelivery',
    workflowId: 'webhook/d1/m1',
    taskQueue: 'webhooks',
    args: [{ deliveryId: 'd1', suffix: '/m1' }],
    reusePolicy: 'REJECT_DUPLICATE',
    conflictPolicy: 'USE_EXISTING',
    fairnessKey: payload.merchantId,
  });
  expect(() => routeOf({ ...message, topic: 'unknown' as 'webhook.deliver' })).toThrow('No route for outbox topic unknown');
});
