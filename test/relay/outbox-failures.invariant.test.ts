import { listFailedOutboxRows, readOutboxHealth, retryFailedOutboxRows } from '../../src/platform/outbox/outbox-health.ts';
import type { Dispatch } from '../../src/temporal/relay/dispatch.ts';
import { MAX_FAILURES } from '../../src/temporal/relay/dispatch-failure.ts';
import { useOwnApi } from '../support/api.ts';
import { useOutbox } from './support.ts';

const api = useOwnApi();
const { context, enqueueOne, enqueueMany, waiting, relayTo, run } = useOutbox(api);

const nothing: Dispatch = async () => {};
const byVersion = (version: 'old' | 'new') =>
  relayTo(nothing, {
    route: (entry) => {
      if (version === 'old') throw new Error(`No route for outbox topic ${entry.topic}`);
      return { workflowId: entry.subjectId } as never;
    },
  });
const isDue = () => run(`update outbox set next_attempt_at = now() - interval '1 second'`);
const healthOf = async (topic: string) => (await readOutboxHealth(context())).find((health) => health.topic === topic);

/** Lets a row fail as often as it takes. */
const failForGood = async (): Promise<void> => {
  const relay = byVersion('old');
  for (let failure = 0; failure < MAX_FAILURES; failure++) {
    await isDue();
    await relay.round();
  }
};

it('W17: a row that always fails is set apart after ten failures: it no longer counts as waiting, and is kept', async () => {
  await enqueueOne();
  await run(`update outbox set not_before = now() - interval '90 seconds'`);
  expect(await healthOf('webhook.deliver')).toMatchObject({ waiting: 1, failed: 0 });
  await failForGood();
  expect(await waiting()).toMatchObject([{ attempts: 10, failures: 10, failed: true, held: false }]);
  expect(await healthOf('webhook.deliver')).toEqual({
    topic: 'webhook.deliver',
    waiting: 0,
    oldestSeconds: 0,
    scheduled: 0,
    failed: 1,
  });
  expect(await listFailedOutboxRows(context(), { limit: 10 })).toMatchObject([
    {
      topic: 'webhook.deliver',
      attempts: 10,
      lastError: 'RouteError: Error: No route for outbox topic webhook.deliver',
    },
  ]);
});

it('a fixed version relays a failed row at its next attempt, without an operator', async () => {
  await enqueueOne();
  await failForGood();
  expect(await byVersion('new').round()).toBe(0);
  await isDue();
  expect(await byVersion('new').round()).toBe(1);
  expect(await waiting()).toEqual([]);
});

it('an operator retries one failed row, or those of a topic, at once', async () => {
  await enqueueOne();
  await enqueueOne();
  await failForGood();
  const [first] = await listFailedOutboxRows(context(), { limit: 1 });
  expect(await retryFailedOutboxRows(context(), { topic: 'payout.start' })).toBe(0);
  expect(await retryFailedOutboxRows(context(), { seq: first?.seq })).toBe(1);
  expect(await byVersion('new').round()).toBe(1);
  expect(await retryFailedOutboxRows(context(), { topic: 'webhook.deliver' })).toBe(1);
  expect(await byVersion('new').round()).toBe(1);
});

it('a failed row that is enqueued again is tried again at once', async () => {
  const subjectId = await enqueueOne();
  await failForGood();
  await enqueueOne({ subjectId });
  expect(await byVersion('new').round()).toBe(1);
});

it('while Temporal is unavailable, rows are never set apart, and most are not even tried', async () => {
  await enqueueMany(300, 2);
  let calls = 0;
  const relay = relayTo(
    async () => {
      calls++;
      throw Object.assign(new Error('14 UNAVAILABLE: connection refused'), { code: 14, details: '', metadata: {} });
    },
    { concurrency: 8 },
  );
  for (let round = 0; round < 12; round++) {
    await isDue();
    await relay.round();
  }
  expect(calls).toBeLessThan(12 * 2 * 8);
  const left = await waiting();
  expect(left).toHaveLength(300);
  expect(left.filter(({ failures, failed, held }) => failures > 0 || failed || held)).toEqual([]);
});

it('reports how many rows are waiting for how long by topic; scheduled rows are not waiting', async () => {
  await enqueueOne();
  await run(`update outbox set not_before = now() - interval '90 seconds'`);
  await enqueueOne({ notBefore: new Date(Date.now() + 60_000) });
  const health = await healthOf('webhook.deliver');
  expect(health).toMatchObject({ waiting: 1, scheduled: 1, failed: 0 });
  expect(health?.oldestSeconds).toBeGreaterThanOrEqual(90);
  expect(await healthOf('payout.start')).toEqual({
    topic: 'payout.start',
    waiting: 0,
    oldestSeconds: 0,
    scheduled: 0,
    failed: 0,
  });
});

it('an age is never rounded below the time that has passed', async () => {
  await enqueueOne();
  for (let n = 0; n < 50; n++) {
    await run(`update outbox set not_before = now() - interval '1 second'`);
    const ages = (await readOutboxHealth(context())).map(({ oldestSeconds }) => oldestSeconds);
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
  }
});
