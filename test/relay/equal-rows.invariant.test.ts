import { wakeScreening } from '../../src/domains/tracking/wake-screening.steps.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { execute, sql } from '../../src/platform/database/sql.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import type { OutboxEntry, WorkflowStart } from '../../src/temporal/relay/routing.ts';
import { routeOf } from '../../src/temporal/relay/routing.ts';
import { useOwnApi } from '../support/api.ts';
import { useOutbox } from './support.ts';

const api = useOwnApi();
const { context, waiting, relayTo, run } = useOutbox(api);

const affiliateOf = (shard: number) => `0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e0${shard.toString(16)}`;
const wake = async (shard: number, times: number, { em } = context()) => {
  const from = sql`(values (${affiliateOf(shard)}::uuid)) as affiliate (id)`;
  for (let n = 0; n < times; n++) await execute(em, wakeScreening(sql`affiliate.id`, from));
};
const route = (entry: OutboxEntry): WorkflowStart => routeOf(entry);

it('one call serves all wake-ups of a shard, due or not, and each shard has its own', async () => {
  await wake(3, 250);
  await wake(4, 2);
  await run(`update outbox set next_attempt_at = case when seq in (select min(seq) from outbox group by subject_id)
    then now() else now() + interval '1 hour' end`);
  const started: string[] = [];
  const relay = relayTo(async ({ workflowId, signal }) => void started.push(`${workflowId} ${signal}`), { route });
  expect(await relay.round()).toBe(2);
  expect(started.sort()).toEqual(['screening/3 wake', 'screening/4 wake']);
  expect(await waiting()).toEqual([]);
});

it('a wake-up that comes during the call is relayed again', async () => {
  await wake(3, 1);
  await run(`update outbox set next_attempt_at = now() - interval '1 second'`);
  let calls = 0;
  const relay = relayTo(
    async () => {
      calls++;
      if (calls === 1) await wake(3, 1);
    },
    { route },
  );
  await relay.round();
  expect(await waiting()).toHaveLength(1);
  await run(`update outbox set next_attempt_at = now() - interval '1 second'`);
  await relay.round();
  expect([calls, await waiting()]).toEqual([2, []]);
});

it('no transaction waits for another that wakes the same shard', async () => {
  const first = context();
  await first.em.begin();
  await wake(5, 1, first);
  await wake(5, 1);
  await first.em.rollback();
  expect(await waiting()).toHaveLength(1);
});

it('of two states of one object that wait, the newer one is sent, whichever was written last', async () => {
  const send = async (subjectId: string, version: number) =>
    inTransaction(context(), (ctx) =>
      enqueue(ctx, { topic: 'payout.changed', suffix: '', subjectId, payload: { snapshot: { version } } as never }),
    );
  const [late, early] = [affiliateOf(1), affiliateOf(2)];
  for (const version of [2, 1]) await send(late, version);
  for (const version of [1, 2]) await send(early, version);
  const versions = await run(`select payload #>> '{snapshot,version}' as version from outbox order by subject_id`);
  expect(versions).toEqual([{ version: '2' }, { version: '2' }]);
});

it('one row is kept while the call fails', async () => {
  await wake(6, 20);
  await run(`update outbox set next_attempt_at = now() - interval '1 second'`);
  const relay = relayTo(
    async () => {
      throw new Error('temporal unavailable');
    },
    { route },
  );
  expect(await relay.round()).toBe(0);
  expect(await waiting()).toMatchObject([{ attempts: 1 }]);
});
