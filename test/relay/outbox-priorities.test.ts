import { OUTBOX_PRIORITIES } from '../../src/contracts/outbox.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { enqueueEach, enqueueInChunks } from '../../src/platform/outbox/outbox.ts';
import type { Dispatch } from '../../src/temporal/relay/dispatch.ts';
import type { OutboxEntry } from '../../src/temporal/relay/routing.ts';
import { routeOf } from '../../src/temporal/relay/routing.ts';
import { useOwnApi } from '../support/api.ts';
import { ownerUrlOf } from '../support/many-commissions.ts';
import { useOutbox } from './support.ts';

const api = useOwnApi();
const { context, payload, enqueueOne, enqueueMany, relayTo, run } = useOutbox(api);

const { payouts, mail, webhooks, bulk } = OUTBOX_PRIORITIES;

/** A dispatch that counts rows by the priority in their payload. */
const counter = () => {
  const counts = new Map<number, number>();
  const dispatch: Dispatch = async ({ args: [input] }) => {
    const { priority } = input as { priority: number };
    counts.set(priority, (counts.get(priority) ?? 0) + 1);
  };
  return { dispatch, of: (priority: number) => counts.get(priority) ?? 0 };
};

it('relays payouts first, then mail, then webhooks, then bulk work, whatever was enqueued first', async () => {
  for (const priority of [bulk, webhooks, mail, payouts]) await enqueueMany(30, priority);
  const counts = counter();
  const relay = relayTo(counts.dispatch, { batch: 40 });
  await relay.round();
  expect(counts.of(payouts)).toBe(30);
  await relay.round();
  expect(counts.of(mail)).toBe(30);
  await relay.round();
  expect(counts.of(webhooks)).toBeGreaterThanOrEqual(30);
  await relay.round();
  expect(counts.of(bulk)).toBe(30);
});

it('every three batches contain a share of each lower priority, however many payouts wait', async () => {
  for (const priority of [mail, webhooks, bulk]) await enqueueMany(500, priority);
  await enqueueMany(1_500, payouts);
  const counts = counter();
  const relay = relayTo(counts.dispatch);
  for (let batch = 0; batch < 12; batch++) await relay.round();
  expect([payouts, mail, webhooks, bulk].map(counts.of)).toEqual([1_080, 40, 40, 40]);
});

it('a payout that is enqueued behind 20,000 webhooks is in the next batch', async () => {
  await enqueueMany(20_000, webhooks);
  await enqueueMany(20_000, bulk);
  const counts = counter();
  const relay = relayTo(counts.dispatch);
  await relay.round();
  await enqueueMany(1, payouts);
  await relay.round();
  expect(counts.of(payouts)).toBe(1);
});

it('a batch reads the rows that it leases, not those that are scheduled or behind them', async () => {
  await enqueueMany(20_000, webhooks);
  await enqueueMany(20_000, bulk);
  await run(`update outbox set next_attempt_at = now() + interval '1 hour' where priority = ${webhooks}`);
  await runSql(ownerUrlOf(api), 'analyze outbox');
  const plan = await context().em.transactional(async (em) => {
    // For a table that was just filled, the planner may think that few rows are due, and sort them.
    await em.execute('set local enable_sort = off');
    return rows(
      em as ReturnType<typeof context>['em'],
      sql<{ 'QUERY PLAN': string }>`explain (analyze, costs off, timing off) select seq from outbox
        where priority = any(${[payouts, mail, webhooks, bulk]}::smallint[]) and next_attempt_at <= now()::timestamptz(3)
          and (lease_expires_at is null or lease_expires_at < now())
        order by priority, next_attempt_at, seq limit 100 for update skip locked`,
    );
  });
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(text).toMatch(/Index Scan using outbox_due/);
  expect(text).not.toMatch(/Sort|Seq Scan|rows=\d{4,}/);
});

it('a row is due as soon as it is written, whatever its time is rounded to', async () => {
  const counts = counter();
  const relay = relayTo(counts.dispatch);
  for (let n = 1; n <= 200; n++) {
    await enqueueMany(1, payouts);
    await relay.round();
    expect(counts.of(payouts)).toBe(n);
  }
});

it('a row is not relayed before its time', async () => {
  const { clock } = api.runtime;
  await enqueueOne({ notBefore: new Date(clock.now().getTime() + 60_000) });
  const early = await enqueueOne({ notBefore: new Date(clock.now().getTime() - 1_000) });
  const dispatched: string[] = [];
  const relay = relayTo(async ({ workflowId }) => void dispatched.push(workflowId));
  await relay.round();
  expect(dispatched).toEqual([early]);
  await run(`update outbox set next_attempt_at = now() - interval '1 second'`);
  await relay.round();
  expect(dispatched).toHaveLength(2);
});

it('bulk work is enqueued in transactions of 1,000 rows at most, whose due times follow each other', async () => {
  let chunks = 0;
  const enqueued = await enqueueInChunks(context(), async (ctx, { limit, notBefore }) => {
    const count = chunks++ < 2 ? limit : 500;
    const inserted = await rows(
      ctx.em,
      sql`${enqueueEach({
        topic: 'webhook.deliver',
        suffix: '/e1',
        bulk: true,
        subjectId: sql`gen_random_uuid()`,
        payload: { merchantId: sql`gen_random_uuid()`, endpointId: sql`gen_random_uuid()` },
        notBefore: notBefore(sql`n - 1`),
        from: sql`generate_series(1, ${count}::int) n`,
      })} returning 1`,
    );
    return inserted.length;
  });
  expect(enqueued).toBe(2_500);
  const perTransaction = await rows(
    context().em,
    sql<{ count: number }>`select count(*)::int as count from outbox group by xmin order by 1`,
  );
  expect(perTransaction.map(({ count }) => count)).toEqual([500, 1_000, 1_000]);
  const [due] = await rows(
    context().em,
    sql<{ priority: number; seconds: number; busiest: number }>`select max(priority) as priority,
        extract(epoch from max(not_before) - min(not_before))::float8 as seconds,
        (select max(count)::int from (select count(*) from outbox group by date_trunc('second', not_before)) per_second) as busiest
      from outbox`,
  );
  expect(due).toEqual({ priority: bulk, seconds: 4.998, busiest: 500 });
});

it('bulk work inside a transaction is rejected', async () => {
  const { em } = context();
  await expect(
    em.transactional((em) => enqueueInChunks({ ...context(), em: em as typeof api.runtime.orm.em as never }, async () => 0)),
  ).rejects.toThrow('a transaction for each chunk');
});

it('workflows that bulk work starts stand behind all others of their queue', () => {
  const message = { seq: '1', topic: 'webhook.deliver', subjectId: 'd1', suffix: '/e1', payload } as const satisfies OutboxEntry;
  expect(routeOf(message).priorityKey).toBe(4);
  expect(routeOf({ ...message, bulk: true }).priorityKey).toBe(5);
});
