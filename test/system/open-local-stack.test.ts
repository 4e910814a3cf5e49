import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalStack, openLocalStack } from '../../src/local/stack/index.ts';
import { findProcessIdentity } from '../../src/local/stack/process-identity.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { ensureRetention } from '../../src/local/stack/temporal-namespace.ts';
import { until } from '../support/until.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tributary-open-');
  chmodSync(folder, 0o711);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Without the servers of the test suite: this stack starts its own. */
const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '', TEMPORAL_ADDRESS: '' };
const open = (more: Partial<Parameters<typeof openLocalStack>[0]> = {}): Promise<LocalStack> =>
  openLocalStack({ data: { folder: join(folder, '.data') }, env, log: () => {}, ...more });

function expectNothingRuns({ pids }: LocalStack): void {
  for (const pid of Object.values(pids)) expect(findProcessIdentity(pid ?? 0)).toBeNull();
}

test('a second start while the first runs fails with its process ID; after the first has closed, its data is found again', async () => {
  const first = await open();
  await runSql(first.ownerDatabaseUrl, 'create table kept (word text)');
  await expect(open()).rejects.toThrow(`already running on ${join(folder, '.data')} (process ${process.pid})`);
  await first.close();
  expectNothingRuns(first);
  const second = await open();
  expect(await runSql(second.ownerDatabaseUrl, 'select * from kept')).toEqual([]);
  await ensureRetention(second.temporalAddress);
  expect((await fetch(second.temporalUiUrl ?? '')).status).toBe(200);
  await second.close();
  expectNothingRuns(second);
});

test('H15: only the owner can read the workflow histories, also those of an earlier version', async () => {
  const file = join(folder, '.data', 'temporal.db');
  const first = await open();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await first.close();
  chmodSync(file, 0o644);
  const second = await open();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await second.close();
});

test('when one service cannot be opened, the others are closed and the folder is unlocked', async () => {
  await expect(open({ env: { ...env, REDIS_URL: 'redis://127.0.0.1:1' } })).rejects.toThrow(/REDIS_URL is set/);
  expect(existsSync(join(folder, '.data', 'lock'))).toBe(false);
  const again = await open();
  await again.close();
});

test('a temporary stack ignores the servers named in the environment and leaves no folder behind', async () => {
  const stack = await open({ data: 'temporary', env: { ...env, DATABASE_URL: 'postgresql://127.0.0.1:1/real' } });
  expect(stack.pids.postgres).not.toBeNull();
  await stack.close();
  expect(existsSync(stack.directory.path)).toBe(false);
});

test('a crash of a service is reported with the end of its log', async () => {
  const reports: string[] = [];
  const stack = await open({ data: 'temporary', onCrash: (report) => reports.push(report) });
  process.kill(stack.pids.redis ?? 0, 'SIGKILL');
  await until('the crash is reported', () => reports.length);
  await stack.close();
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(/redis ended unexpectedly \(SIGKILL\)[\s\S]*Ready to accept connections/);
});
