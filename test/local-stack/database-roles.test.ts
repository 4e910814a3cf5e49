import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runSql } from '../../src/local/stack/sql.ts';
import { useOwnApi } from '../support/api.ts';
import { makePayout } from '../support/payouts.ts';
import { createTestDatabase } from '../support/stack/database.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const api = useOwnApi();
const as = (...statements: string[]) => runSql(api.runtime.config.DATABASE_URL, ...statements);

beforeAll(async () => {
  const payout = await makePayout(api);
  await payout.act('process');
});

test.each(['ledger_entry', 'webhook_event', 'payout_timeline', 'payout_item', 'commission_adjustment'])(
  'H15: the role of the application cannot update, delete or truncate %s',
  async (table) => {
    const [before] = await as(`select count(*)::int as count from ${table}`);
    const columns = { webhook_event: 'type', payout_timeline: 'note' } as Record<string, string>;
    for (const statement of [
      `update ${table} set ${columns[table] ?? 'amount'} = ${columns[table] ?? 'amount'}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
      `alter table ${table} disable trigger all`,
      `alter table ${table} add column mine int`,
      `drop table ${table} cascade`,
    ]) {
      await expect(as(statement)).rejects.toThrow(/permission denied|must be owner/);
    }
    expect(await as(`select count(*)::int as count from ${table}`)).toEqual([before]);
  },
);

test('H15: the role of the application cannot gain rights, create or replace anything, or act as the owner', async () => {
  for (const statement of [
    "set session_replication_role = 'replica'",
    'set role postgres',
    'create table mine (id int)',
    'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$',
    'grant tributary_app to current_user with admin option',
    "insert into migration (name) values ('mine')",
    'delete from payout',
    'delete from sale',
  ]) {
    await expect(as(statement)).rejects.toThrow(/permission denied|must be owner/);
  }
  // Granting what it does not have is only a warning for PostgreSQL.
  await as('grant delete on ledger_entry to current_user');
  await expect(as('delete from ledger_entry')).rejects.toThrow('permission denied');
  const [role] = await as('select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = current_user');
  expect(Object.values(role ?? {})).toEqual([false, false, false, false]);
});

test('H15: every table that a later migration creates is readable and writable, and nothing can be deleted from it', async () => {
  const database = await createTestDatabase();
  await runSql(database.ownerUrl, 'create table later (id int)');
  await runSql(database.url, 'insert into later values (1)', 'update later set id = 2', 'select * from later');
  await expect(runSql(database.url, 'delete from later')).rejects.toThrow('permission denied');
  await database.drop();
});

test('H15: bin/migrate.ts runs as the owner, and creates the role of DATABASE_URL with its password', async () => {
  const { ownerUrl, drop } = await createTestDatabase();
  const url = Object.assign(new URL(ownerUrl), { username: `app_${process.pid}`, password: "it's %40 secret" });
  const env = { PATH: process.env['PATH'], DATABASE_URL: url.href, MIGRATION_DATABASE_URL: ownerUrl };
  for (const _run of [1, 2]) {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['bin/migrate.ts'], { cwd: ROOT, env });
    expect([stdout, stderr]).toEqual(['The schema is up to date.\n', '']);
  }
  expect(await runSql(url.href, 'select current_user::text as name')).toEqual([{ name: url.username }]);
  await expect(runSql(url.href, 'delete from ledger_entry')).rejects.toThrow('permission denied');
  await drop();
  await runSql(process.env['TEST_DATABASE_ADMIN_URL'] ?? '', `drop role ${url.username}`);
});
