import { inTransaction } from '../../src/platform/context.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import { useOwnApi } from '../support/api.ts';
import { pause, until } from '../support/until.ts';
import { useOutbox } from './support.ts';

const api = useOwnApi({ DATABASE_POOL: '20' });
const { context, payload, enqueueOne, enqueueMany, waiting, relayTo, run } = useOutbox(api);

const untilEmpty = () => until('the outbox is empty', waiting, ({ length }) => length === 0);

it('five relays side by side dispatch each row once', async () => {
  await enqueueMany(3_000, 2);
  const dispatched: string[] = [];
  const relays = Array.from({ length: 5 }, () =>
    relayTo(async ({ workflowId }) => void dispatched.push(workflowId), { pollMs: 5 }),
  );
  const running = relays.map((relay) => relay.run());
  await untilEmpty();
  for (const relay of relays) relay.stop();
  await Promise.all(running);
  expect(dispatched).toHaveLength(3_000);
  expect(new Set(dispatched).size).toBe(3_000);
});

it('signals of one subject are dispatched in the order of their transactions, the last one always, by whichever relay', async () => {
  const subjects = Array.from({ length: 20 }, () => api.runtime.ids.next());
  const seen = new Map<string, number[]>();
  const errors: unknown[] = [];
  const running = new Set<string>();
  const overlaps: string[] = [];
  const relays = Array.from({ length: 4 }, () =>
    relayTo(
      async ({ workflowId, args: [input] }) => {
        if (running.has(workflowId)) overlaps.push(workflowId);
        running.add(workflowId);
        await pause(Math.random() * 5, 'dispatches take different times');
        running.delete(workflowId);
        seen.set(workflowId, [...(seen.get(workflowId) ?? []), (input as { version: number }).version]);
      },
      { pollMs: 2 },
    ),
  );
  const loops = relays.map((relay) => relay.run());
  /** Transactions with several rows in different orders, as when one block concerns several payouts. */
  const write = async (own: readonly string[]): Promise<void> => {
    for (let version = 1; version <= 60; version++) {
      const order = version % 2 === 0 ? own : own.toReversed();
      await inTransaction(context(), async (ctx) => {
        for (const subjectId of order)
          await enqueue(ctx, { topic: 'webhook.deliver', subjectId, suffix: '', payload: { ...payload, version } as never });
      }).catch((error) => errors.push(error));
    }
  };
  await Promise.all([0, 5, 10, 15].map((from) => write(subjects.slice(from, from + 5))));
  await untilEmpty();
  for (const relay of relays) relay.stop();
  await Promise.all(loops);
  expect(errors).toEqual([]);
  expect(overlaps).toEqual([]);
  for (const subject of subjects) {
    const versions = seen.get(subject) ?? [];
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(versions.at(-1)).toBe(60);
  }
});

it('a relay that is paused beyond its lease dispatches nothing more and removes nothing that another one leased', async () => {
  await enqueueMany(10, 2);
  const leaseMs = 400;
  const byPaused: string[] = [];
  const byOther: string[] = [];
  const paused = relayTo(
    async ({ workflowId }) => {
      await pause(2 * leaseMs, 'the relay is paused beyond its lease');
      byPaused.push(workflowId);
    },
    { leaseMs, concurrency: 2 },
  );
  const round = paused.round();
  await pause(leaseMs + 100, 'the lease ends');
  const other = relayTo(
    async ({ workflowId }) => {
      byOther.push(workflowId);
      await round;
    },
    { concurrency: 10 },
  );
  const otherRound = other.round();
  await round;
  expect(byPaused).toHaveLength(2);
  expect(await otherRound).toBe(10);
  expect(new Set(byOther).size).toBe(10);
  expect(await waiting()).toEqual([]);
});

it('the rows of a dead relay are leased when its lease has expired, not before', async () => {
  const subject = await enqueueOne();
  await run(`update outbox set lease_expires_at = now() + interval '20 seconds', lease_id = gen_random_uuid(), attempts = 1`);
  const dispatched: string[] = [];
  const relay = relayTo(async (start) => void dispatched.push(start.workflowId));
  expect(await relay.round()).toBe(0);
  await run(`update outbox set lease_expires_at = now() - interval '1 second'`);
  expect(await relay.round()).toBe(1);
  expect(dispatched).toEqual([subject]);
});

it('a relay that stops while it has leased ahead gives up those rows', async () => {
  await enqueueMany(300, 2);
  let dispatched = 0;
  const relay = relayTo(
    async () => {
      if (++dispatched === 5) relay.stop();
    },
    { concurrency: 1 },
  );
  await relay.run();
  const left = await waiting();
  expect(dispatched).toBe(5);
  expect(left).toHaveLength(295);
  expect(left.filter(({ held }) => held)).toEqual([]);
});
