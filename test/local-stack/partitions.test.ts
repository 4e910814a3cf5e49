import { runSql } from '../../src/local/stack/sql.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/database.ts';

const TABLES = ['webhook_event', 'webhook_delivery', 'webhook_attempt', 'click'];

let database: TestDatabase;
const asOwner = (...statements: string[]) => runSql(database.ownerUrl, ...statements);
const asApplication = (...statements: string[]) => runSql(database.url, ...statements);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const monthOf = (ahead: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7).replace('-', '_');
};

const partitions = async (): Promise<string[]> =>
  (
    await asOwner(`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'partitions' and c.relkind = 'r' order by 1`)
  ).map(({ name }) => String(name));

/** One event with one delivery and one attempt, all with ids of the given time. */
const written = (at: string): string[] => [
  `insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at)
    values (uuidv7('${at}'::timestamptz - now()), uuidv7(), 'payout.created', 2, '', '${at}')`,
  `insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, status, created_at, updated_at)
    select uuidv7('${at}'::timestamptz - now()), id, uuidv7(), merchant_id, 0, 0, 'pending', occurred_at, occurred_at
    from webhook_event where occurred_at = '${at}'`,
  `insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at)
    select id, 1, '', 'schedule', 'https://example.com', created_at from webhook_delivery where created_at = '${at}'`,
];

const placeOf = async (table: string, column: string, at: string): Promise<unknown> =>
  (await asOwner(`select tableoid::regclass::text as place from ${table} where ${column} = '${at}'`)).map(({ place }) => place);

test('a migrated database has a default partition and those of this month and the next three for each table', async () => {
  const expected = TABLES.flatMap((table) => [`${table}_default`, ...[0, 1, 2, 3].map((ahead) => `${table}_${monthOf(ahead)}`)]);
  expect(await partitions()).toEqual(expected.sort());
});

test('the bounds of a month are those of the times in ids of version 7', async () => {
  const [row] = await asOwner(`select first_uuid_at('2026-11-01 00:00:00+00')::text as first,
    uuid_extract_timestamp((substr(first_uuid_at('2026-11-01 00:00:00+00')::text, 1, 14) || '7000-8000-000000000000')::uuid)
      = '2026-11-01 00:00:00+00' as same`);
  expect(row).toEqual({ first: '01a19467-e800-0000-0000-000000000000', same: true });
});

test('a row is stored in the partition of the month of its id, in UTC', async () => {
  const month = monthOf(1);
  const at = `${month.replace('_', '-')}-01 00:00:00.000+00`;
  await asApplication(...written(at));
  expect(await placeOf('webhook_event', 'occurred_at', at)).toEqual([`partitions.webhook_event_${month}`]);
  expect(await placeOf('webhook_delivery', 'created_at', at)).toEqual([`partitions.webhook_delivery_${month}`]);
  expect(await placeOf('webhook_attempt', 'started_at', at)).toEqual([`partitions.webhook_attempt_${month}`]);
});

test('rows of a month without a partition are kept in the default one, and move when the month is created', async () => {
  const at = '2031-05-31 23:59:50+00';
  const later = '2031-06-01 00:00:00.000+00';
  await asApplication(...written(at), ...written(later));
  expect(await placeOf('webhook_event', 'occurred_at', at)).toEqual(['partitions.webhook_event_default']);
  for (const [table, key] of [
    ['webhook_event', 'id'],
    ['webhook_delivery', 'event_id'],
    ['webhook_attempt', 'delivery_id'],
  ]) {
    await asOwner(`select create_partition('${table}', '${key}', '2031-05-01')`);
  }
  expect(await placeOf('webhook_event', 'occurred_at', at)).toEqual(['partitions.webhook_event_2031_05']);
  expect(await placeOf('webhook_delivery', 'created_at', at)).toEqual(['partitions.webhook_delivery_2031_05']);
  expect(await placeOf('webhook_attempt', 'started_at', at)).toEqual(['partitions.webhook_attempt_2031_05']);
  expect(await placeOf('webhook_event', 'occurred_at', later)).toEqual(['partitions.webhook_event_default']);
});

test('the application creates missing months through the function of the owner, once when several processes start together', async () => {
  const gone = TABLES.map((table) => `partitions.${table}_${monthOf(3)}`);
  await asOwner(`drop table ${gone.join(', ')}`);
  const created = await Promise.all(Array.from({ length: 4 }, () => asApplication('select ensure_partitions() as created')));
  expect(created.map(([row]) => row?.['created']).sort()).toEqual([0, 0, 0, TABLES.length]);
  expect(await partitions()).toContain(`webhook_attempt_${monthOf(3)}`);
});

test('a migration without news creates missing months too', async () => {
  await asOwner(`drop table partitions.webhook_event_${monthOf(2)}`);
  expect(await migrate(database.ownerUrl)).toEqual([]);
  expect(await partitions()).toContain(`webhook_event_${monthOf(2)}`);
});

test('events cannot be changed in any partition, and the application cannot touch a partition or create one', async () => {
  const month = monthOf(1);
  for (const partition of ['default', month, '2031_05']) {
    await expect(asOwner(`update partitions.webhook_event_${partition} set type = 'other'`)).rejects.toThrow('never changed');
    await expect(asApplication(`select * from partitions.webhook_event_${partition}`)).rejects.toThrow('permission denied');
  }
  for (const statement of [
    `drop table partitions.webhook_event_${month}`,
    'create table partitions.mine (id int)',
    `select create_partition('webhook_event', 'id', '2033-01-01')`,
    `alter table webhook_event detach partition partitions.webhook_event_${month}`,
  ]) {
    await expect(asApplication(statement)).rejects.toThrow(/permission denied|must be owner/);
  }
});

test('one endpoint has one delivery of an event, and look-ups by id or event probe indexes only', async () => {
  const at = `${monthOf(0).replace('_', '-')}-01 00:00:00+00`;
  await asApplication(...written(at));
  const [delivery] = await asApplication(`select id, event_id, endpoint_id from webhook_delivery where created_at = '${at}'`);
  await expect(
    asApplication(`insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, status, created_at, updated_at)
      values (uuidv7(), '${delivery?.['event_id']}', '${delivery?.['endpoint_id']}', uuidv7(), 0, 0, 'pending', now(), now())`),
  ).rejects.toThrow('duplicate key');
  const planOf = async (condition: string): Promise<string> =>
    JSON.stringify(await asApplication('set enable_seqscan = off', `explain select * from webhook_delivery where ${condition}`));
  expect(await planOf(`id = '${delivery?.['id']}'`)).not.toContain('Seq Scan');
  const byEvent = await planOf(`event_id = '${delivery?.['event_id']}'`);
  expect(byEvent).toContain(`webhook_delivery_${monthOf(0)}`);
  expect(byEvent).not.toContain('default');
});
