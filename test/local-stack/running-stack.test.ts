import { Connection } from '@temporalio/client';
import { DEFAULT_NAMESPACES, SEARCH_ATTRIBUTES } from '../../src/contracts/workflows/descriptor.ts';
import { LocalStackError } from '../../src/local/stack/index.ts';
import { usePostgres } from '../../src/local/stack/postgres.ts';
import { useRedis } from '../../src/local/stack/redis.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { useTemporal } from '../../src/local/stack/temporal.ts';
import { ensureRetention } from '../../src/local/stack/temporal-namespace.ts';
import { createTestDatabase } from '../support/stack/database.ts';

const temporalAddress = process.env['TEST_TEMPORAL_ADDRESS'] ?? '';

test('a test database has the migrated schema, is isolated from others, and is gone after its drop', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const tables = await runSql(one.url, "select 1 from information_schema.tables where table_schema = 'public'");
  expect(tables.length).toBeGreaterThan(0);
  await runSql(one.ownerUrl, 'create table mine (id int)');
  await expect(runSql(two.ownerUrl, 'select * from mine')).rejects.toThrow(/does not exist/);
  await Promise.all([one.drop(), two.drop()]);
  await expect(runSql(one.url, 'select 1')).rejects.toThrow(/does not exist/);
});

test.each(Object.values(DEFAULT_NAMESPACES))(
  'the namespace %s keeps closed workflows for 720 hours and has every search attribute',
  async (namespace) => {
    await ensureRetention(temporalAddress);
    await ensureRetention(temporalAddress);
    const connection = await Connection.connect({ address: temporalAddress });
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    await connection.close();
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(720 * 3_600);
    expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
  },
);

test.each([
  ['DATABASE_URL', () => usePostgres('postgresql://nobody:nothing@127.0.0.1:1/nowhere')],
  ['REDIS_URL', () => useRedis('redis://127.0.0.1:1')],
  ['TEMPORAL_ADDRESS', () => useTemporal('127.0.0.1:1', {})],
])('a %s without a server is an error that names the setting', async (name, use) => {
  const error = await use().catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(LocalStackError);
  expect(String(error)).toMatch(new RegExp(`${name} is set.*unset ${name}`, 's'));
});
