import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSql } from '../../src/local/stack/sql.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { readMigrationState } from '../../src/platform/database/migration-state.ts';
import { type EntityManager, openOrm } from '../../src/platform/database/orm.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/database.ts';

const SOURCE = 'src';
const FILE = 'domains/ledger/sql/count-owed.sql';

let database: TestDatabase;
const asOwner = (...statements: string[]) => runSql(database.ownerUrl, ...statements);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.sql'))
  .sort();

test('every SQL file below src is applied', async () => {
  const applied = await asOwner('select name from sql_file');
  expect(applied.map(({ name }) => name).sort()).toEqual(files);
});

test('a file that changed is applied again, once when several processes migrate together', async () => {
  await asOwner(
    `create or replace function count_owed() returns trigger language plpgsql as $$ begin return null; end $$`,
    'drop trigger ledger_balance_owed_first on ledger_balance',
    `update sql_file set checksum = 'of another text' where name = '${FILE}'`,
  );
  const done = await Promise.all([migrate(database.ownerUrl), migrate(database.ownerUrl), migrate(database.ownerUrl)]);
  expect(done.toSorted((a, b) => a.length - b.length)).toEqual([[], [], [FILE]]);
  const [found] = await asOwner(`select (select prosrc from pg_proc where proname = 'count_owed') as source,
    (select count(*)::int from pg_trigger where tgname = 'ledger_balance_owed_first') as triggers`);
  expect(found).toEqual({ source: expect.stringContaining('insert into row_counter'), triggers: 1 });
});

test('the state of a database names the files that it lacks, has with another text, or does not know', async () => {
  const connection = { url: database.ownerUrl, poolMax: 1, statementTimeoutMs: 10_000, connectTimeoutMs: 5_000 };
  const orm = await openOrm(connection, []);
  try {
    const state = () => readMigrationState(orm.em.fork() as EntityManager);
    expect(await state()).toMatchObject({ pending: [], unknown: [] });
    await asOwner(
      `update sql_file set checksum = 'of another text' where name = '${FILE}'`,
      `insert into sql_file (name, checksum) values ('domains/gone/sql/gone.sql', 'x')`,
    );
    expect(await state()).toMatchObject({ pending: [FILE], unknown: ['domains/gone/sql/gone.sql'] });
    await asOwner(`delete from sql_file where checksum = 'x'`);
    await migrate(database.ownerUrl);
    expect(await state()).toMatchObject({ pending: [], unknown: [] });
  } finally {
    await orm.close(true);
  }
});

test('every file can be applied again, and leaves rights and triggers as they were', async () => {
  const state = () =>
    asOwner(`select p.oid::regprocedure::text as name, proacl::text as detail from pg_proc p where pronamespace = 'public'::regnamespace
      union all select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1, 2`);
  const before = await state();
  await asOwner('update sql_file set checksum = name');
  expect((await migrate(database.ownerUrl)).sort()).toEqual(files);
  expect(await state()).toEqual(before);
});

test('a file that fails leaves the database as it was', async () => {
  await asOwner(
    `update sql_file set checksum = name where name in ('${FILE}', 'platform/database/sql/count-rows.sql')`,
    'alter function count_owed() rename to count_owed_before',
    'alter function counter_shard() rename to counter_shard_before',
    'create function counter_shard() returns text language sql as $$ select null $$',
  );
  await expect(migrate(database.ownerUrl)).rejects.toThrow('cannot change return type');
  const [found] = await asOwner(
    `select to_regproc('count_owed') is null as gone, (select count(*)::int from sql_file where checksum = name) as waiting`,
  );
  expect(found).toEqual({ gone: true, waiting: 2 });
});

test('a function of the owner fixes its search path, and nobody may call it without a grant', async () => {
  const found = await asOwner(`select proname as name, proconfig as settings, proacl::text as rights from pg_proc
    where pronamespace = 'public'::regnamespace and prosecdef`);
  expect(found.length).toBeGreaterThan(10);
  for (const row of found) {
    expect(row).toMatchObject({ settings: expect.arrayContaining(['search_path=pg_catalog, public, pg_temp']) });
    expect(row).toMatchObject({ rights: expect.not.stringMatching(/[{,]=/) });
  }
});

test('functions and triggers are declared in SQL files only, apart from what columns and indexes depend on', async () => {
  const texts = files.map((name) => readFileSync(join(SOURCE, name), 'utf8')).join('\n');
  const declared = new Set(
    [...texts.matchAll(/^create (?:or replace )?(?:constraint )?(?:function|trigger) (\w+)/gm)].map(([, name]) => name),
  );
  const fresh = await createTestDatabase();
  const found = await runSql(
    fresh.ownerUrl,
    `select proname::text as name from pg_proc p where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      union select tgname::text from pg_trigger where not tgisinternal and tgparentid = 0 order by 1`,
  );
  await fresh.drop();
  expect(found.map(({ name }) => name).filter((name) => !declared.has(name as string))).toEqual([
    'next_event_position',
    'screening_shard',
  ]);
  const names = found.map(({ name }) => name);
  expect([...declared].filter((name) => !names.includes(name))).toEqual([]);
});
