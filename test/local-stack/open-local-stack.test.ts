import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalStack, openLocalStack } from '../../src/local-stack/index.ts';
import { findProcessIdentity } from '../../src/local-stack/process-identity.ts';
import { runSql } from '../../src/local-stack/sql.ts';
import { prepareTemporalNamespace } from '../../src/local-stack/temporal-namespace.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tributary-open-');
  chmodSync(folder, 0o711);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the suite's own stack runs on must not leak in: this one is to start everything itself. */
const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '', TEMPORAL_ADDRESS: '' };
const open = (more: Partial<Parameters<typeof openLocalStack>[0]> = {}): Promise<LocalStack> =>
  openLocalStack({ data: { folder: join(folder, '.data') }, env, log: () => {}, ...more });

function expectNothingRuns({ pids }: LocalStack): void {
  for (const pid of Object.values(pids)) expect(findProcessIdentity(pid ?? 0)).toBeNull();
}

test('a second start while the first runs is refused with its process id; after the first has closed it finds the data', async () => {
  const first = await open();
  await runSql(first.databaseUrl, 'create table kept (word text)');
  await expect(open()).rejects.toThrow(`already running on ${join(folder, '.data')} (process ${process.pid})`);
  await first.close();
  expectNothingRuns(first);
  const second = await open();
  expect(await runSql(second.databaseUrl, 'select * from kept')).toEqual([]);
  // The database file of Temporal is there already now, and its server ignores the flags then.
  await prepareTemporalNamespace(second.temporalAddress);
  expect((await fetch(second.temporalUiUrl ?? '')).status).toBe(200);
  await second.close();
  expectNothingRuns(second);
});

test('when one service cannot be had, the others are closed again and the folder is free', async () => {
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

test('a crash of a service is told with the end of its log', async () => {
  const reports: string[] = [];
  const stack = await open({ data: 'temporary', onCrash: (report) => reports.push(report) });
  process.kill(stack.pids.redis ?? 0, 'SIGKILL');
  for (let i = 0; i < 100 && reports.length === 0; i += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  await stack.close();
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(/redis ended unexpectedly \(SIGKILL\)[\s\S]*Ready to accept connections/);
});
