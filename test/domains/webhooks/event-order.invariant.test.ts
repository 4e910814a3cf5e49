import { runSql } from '../../../src/local/stack/sql.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { makeEndpoint } from '../../api/webhooks/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { until } from '../../support/until.ts';

const api = useOwnApi();

const asOwner = (...statements: string[]) => runSql(ownerUrlOf(api), ...statements);
const listed = async (key: string, count: number, query: Record<string, string> = {}) => {
  const page = await until(
    `${count} events are listed`,
    () => api.call('GET', '/events', { key, query }),
    ({ data }) => data.length >= count,
  );
  return { programs: page.data.map(({ data }: { data: { id: string } }) => data.id), cursor: page.meta.nextCursor };
};

test('after the database was restored into a cluster with lower transaction numbers, new events follow the old ones', async () => {
  const { key } = await makeMerchant(api.runtime);
  const first = await makeProgram(api, key);
  await listed(key, 1);
  // As if the cluster that recorded it had been far ahead of this one.
  await asOwner(
    `set session_replication_role = 'replica'`,
    'update webhook_event set position = position + 5000000000',
    'update event_order set cluster = 1',
  );
  await migrate(ownerUrlOf(api));
  const { programs, cursor } = await listed(key, 1);
  expect(programs).toEqual([first.programId]);
  const second = await makeProgram(api, key);
  expect((await listed(key, 1, { after: cursor })).programs).toEqual([second.programId]);
  expect((await listed(key, 2)).programs).toEqual([first.programId, second.programId]);
});

test('a replay that ran when the database was restored into such a cluster goes on at once', async () => {
  const { id, key } = await makeEndpoint(api);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const replay = await api.call('POST', `/webhooks/${id}/replay`, { key, body: { since } });
  await asOwner(
    `update webhook_replay set position = position + 9000000000 where id = '${replay.data.id}'`,
    'update event_order set cluster = 1',
  );
  await migrate(ownerUrlOf(api));
  const isComplete = `position <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ahead`;
  const [row] = await asOwner(
    `select ${isComplete} as "isComplete" from webhook_replay, event_order where id = '${replay.data.id}'`,
  );
  expect(row).toEqual({ isComplete: true });
});

test('in the same cluster, nothing is added', async () => {
  const [before] = await asOwner('select * from event_order');
  await migrate(ownerUrlOf(api));
  expect(await asOwner('select * from event_order')).toEqual([before]);
});

test('the application cannot change the order', async () => {
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  await expect(em.execute('update event_order set ahead = 0')).rejects.toThrow(/permission denied/);
  await expect(em.execute('select keep_event_order()')).rejects.toThrow(/permission denied/);
});
