import { inTransaction } from '../../src/platform/context.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import type { Dispatch } from '../../src/relay/dispatch.ts';
import { createRelay, outboxHealth } from '../../src/relay/relay.ts';
import type { OutboxEntry, WorkflowStart } from '../../src/relay/routing.ts';
import { useTestApi } from '../support/api.ts';

const api = useTestApi();
beforeEach(() => context().em.execute('delete from outbox'));

const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const ask = async (subjectId = api.runtime.ids.next(), suffix = '') => {
  await inTransaction(context(), (ctx) => enqueue(ctx, { topic: 'webhook.deliver', subjectId, suffix, payload: {} }));
  return subjectId;
};

const waiting = () =>
  rows(
    context().em,
    sql<{ subject: string; attempts: number; error: string | null; held: boolean }>`
      select subject_id as subject, attempts, last_error as error, coalesce(lease_expires_at > now(), false) as held from outbox order by seq`,
  );

/** A relay whose stories go to `dispatch`; the story's id is the row's subject. */
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
  const subjects = [await ask(), await ask(), await ask()];
  const told: string[] = [];
  expect(await relayTo(async (story) => void told.push(story.workflowId)).round()).toBe(3);
  expect(told.sort()).toEqual(subjects.sort());
  expect(await waiting()).toEqual([]);
});

it('five relays at once tell nobody twice', async () => {
  for (let n = 0; n < 200; n++) await ask();
  const told: string[] = [];
  const relays = Array.from({ length: 5 }, () => relayTo(async (story) => void told.push(story.workflowId), 10));
  for (let round = 0; round < 10; round++) await Promise.all(relays.map((relay) => relay.round()));
  expect(told).toHaveLength(200);
  expect(new Set(told).size).toBe(200);
});

it('a row that cannot be relayed waits with its reason and does not hold up the others', async () => {
  const poisoned = await ask();
  const fine = await ask();
  const told: string[] = [];
  const dispatch: Dispatch = async (story) => {
    if (story.workflowId === poisoned) throw new Error('no such story');
    told.push(story.workflowId);
  };
  expect(await relayTo(dispatch).round()).toBe(1);
  expect(told).toEqual([fine]);
  expect(await waiting()).toEqual([{ subject: poisoned, attempts: 1, error: 'Error: no such story', held: true }]);
});

it('what a dead relay held is taken by another when its lease is over, not before', async () => {
  const subject = await ask();
  await context().em.execute(`update outbox set lease_expires_at = now() + interval '20 seconds', lease_id = ?, attempts = 1`, [
    api.runtime.ids.next(),
  ]);
  const told: string[] = [];
  const relay = relayTo(async (story) => void told.push(story.workflowId));
  expect(await relay.round()).toBe(0);
  await context().em.execute(`update outbox set lease_expires_at = now() - interval '1 second'`);
  expect(await relay.round()).toBe(1);
  expect(told).toEqual([subject]);
});

it('a relay that stops gives back what it has not begun', async () => {
  for (let n = 0; n < 40; n++) await ask();
  const told: string[] = [];
  const relay = relayTo(async (story) => {
    told.push(story.workflowId);
    relay.stop();
  });
  await relay.round();
  const left = await waiting();
  expect(told.length + left.length).toBe(40);
  expect(left.length).toBeGreaterThan(0);
  expect(left.filter((row) => row.held)).toEqual([]);
});

it('a reason that comes while its row is being relayed is relayed again', async () => {
  const subject = await ask();
  const told: string[] = [];
  const relay = relayTo(async (story) => {
    told.push(story.workflowId);
    if (told.length === 1) await ask(subject);
  });
  await relay.round();
  expect(await waiting()).toMatchObject([{ subject, held: false }]);
  await relay.round();
  expect(told).toEqual([subject, subject]);
  expect(await waiting()).toEqual([]);
});

it('asking twice for what still waits is asking once', async () => {
  const subject = await ask();
  await ask(subject);
  expect(await waiting()).toHaveLength(1);
});

it('nothing is asked for by a transaction that rolls back', async () => {
  await expect(
    inTransaction(context(), async (ctx) => {
      await enqueue(ctx, { topic: 'webhook.deliver', subjectId: ctx.ids.next(), suffix: '', payload: {} });
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await waiting()).toEqual([]);
});

it('tells how many rows wait and for how long', async () => {
  await ask();
  await context().em.execute(`update outbox set created_at = now() - interval '90 seconds'`);
  const health = await outboxHealth(api.runtime.orm);
  expect(health.waiting).toBe(1);
  expect(health.oldestSeconds).toBeGreaterThanOrEqual(90);
});
