import { randomUUID } from 'node:crypto';
import { runSql } from '../../src/local/stack/sql.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';
import { createTestDatabase } from '../support/stack/database.ts';
import { useForFile } from '../support/use-for-file.ts';

const database = useForFile(async () => {
  const { url, drop } = await createTestDatabase();
  return { url, close: drop };
});

const outbox = (...args: string[]) => runProgram(['bin/admin.ts', 'outbox', ...args, '--json'], operatorEnv(database.url));

const addFailed = () =>
  runSql(
    database.url,
    `insert into outbox (topic, subject_id, payload, attempts, failures, failed_at, next_attempt_at, last_error)
      values ('payout.start', gen_random_uuid(), '{}', 10, 10, now(), now() + interval '1 hour', 'RouteError: unknown')`,
  );

it('W17: outbox list counts rows by topic and lists failed rows with their error, with exit code 1', async () => {
  const empty = await outbox('list');
  expect([empty.code, JSON.parse(empty.out)]).toMatchObject([0, { ok: true, failed: [] }]);
  await addFailed();
  const { code, out } = await outbox('list');
  const { topics, failed } = JSON.parse(out);
  expect(code).toBe(1);
  expect(topics).toContainEqual({ topic: 'payout.start', waiting: 0, oldestSeconds: 0, scheduled: 0, failed: 1 });
  expect(failed).toMatchObject([{ topic: 'payout.start', attempts: 10, lastError: 'RouteError: unknown' }]);
});

it('W17: outbox retry makes failed rows wait again, one, by topic or all of them', async () => {
  await runSql(database.url, 'delete from outbox');
  for (let n = 0; n < 3; n++) await addFailed();
  const { failed } = JSON.parse((await outbox('list', '--limit', '1')).out);
  expect(JSON.parse((await outbox('retry', '--seq', failed[0].seq)).out)).toEqual({ retried: 1 });
  expect(JSON.parse((await outbox('retry', '--topic', 'webhook.deliver')).out)).toEqual({ retried: 0 });
  expect(JSON.parse((await outbox('retry', '--all')).out)).toEqual({ retried: 2 });
  expect(JSON.parse((await outbox('list')).out)).toMatchObject({ ok: true });
});

it('SE15: what was retried is in the audit log of the installation, whose owner has to be named', async () => {
  await runSql(database.url, 'delete from outbox');
  await addFailed();
  await outbox('retry', '--topic', 'payout.start');
  const log = (...args: string[]) => runProgram(['bin/admin.ts', 'audit-log', ...args, '--json'], operatorEnv(database.url));
  const [entry] = JSON.parse((await log('--installation', '--action', 'installation.outbox_retried', '--limit', '1')).out);
  expect(entry).toMatchObject({
    actor: 'system:operator',
    changes: [
      { field: 'retried', new: 1 },
      { field: 'topic', new: 'payout.start' },
    ],
  });
  expect(JSON.parse((await log('--affiliate', randomUUID())).out)).toEqual([]);
  for (const args of [[], ['--installation', '--merchant', randomUUID()]]) {
    expect(await log(...args)).toMatchObject({ code: 1, err: 'error: pass one of --merchant, --affiliate and --installation\n' });
  }
  expect((await log('--installation', '--action', 'x')).code).toBe(1);
});

it('outbox retry without a choice, or with two, changes nothing and says what to pass', async () => {
  expect(await outbox('retry')).toEqual({ code: 1, out: '', err: 'error: pass one of --seq, --topic and --all\n' });
  expect((await outbox('retry', '--all', '--seq', '1')).code).toBe(1);
});
