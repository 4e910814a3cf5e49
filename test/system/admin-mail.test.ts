import { randomUUID } from 'node:crypto';
import { runSql } from '../../src/local/stack/sql.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';
import { createTestDatabase } from '../support/stack/database.ts';
import { useForFile } from '../support/use-for-file.ts';

const database = useForFile(async () => {
  const { url, drop } = await createTestDatabase();
  return { url, close: drop };
});

const mail = (...args: string[]) => runProgram(['bin/admin.ts', 'mail', ...args, '--json'], operatorEnv(database.url));

const addMail = async (status: 'queued' | 'given_up', error: string): Promise<string> => {
  const id = randomUUID();
  await runSql(
    database.url,
    `insert into mail (id, kind, subject_id, recipient, recipient_digest, period, payload, message_id, status, tries, last_error, smtp_code,
        created_at, queued_at, updated_at)
      values ('${id}', 'payout_failed', gen_random_uuid(), 'v1.secret', 'digest', '', 'v1.secret', '${id}', '${status}', 9, '${error}', 450,
        now(), now(), now())`,
  );
  return id;
};

it('mail list shows what was given up and what fails, without addresses, and exits with 1 only for the former', async () => {
  const empty = await mail('list');
  expect([empty.code, JSON.parse(empty.out)]).toEqual([0, { ok: true, mails: [] }]);
  const failing = await addMail('queued', 'timeout');
  expect((await mail('list')).code).toBe(0);
  const givenUp = await addMail('given_up', 'refused_for_now');
  const { code, out } = await mail('list');
  expect(code).toBe(1);
  expect(JSON.parse(out).mails).toMatchObject([
    { id: givenUp, kind: 'payout_failed', status: 'given_up', tries: 9, lastError: 'refused_for_now', smtpCode: 450 },
    { id: failing, status: 'queued', lastError: 'timeout' },
  ]);
  expect(out).not.toMatch(/secret|digest/);
});

it('mail retry queues one mail, or all that were given up, for their workflows', async () => {
  const [one] = [await addMail('given_up', 'timeout'), await addMail('given_up', 'timeout')];
  expect(JSON.parse((await mail('retry', '--id', one)).out)).toEqual({ retried: 1 });
  expect(JSON.parse((await mail('retry', '--id', one)).out)).toEqual({ retried: 0 });
  expect(JSON.parse((await mail('retry', '--all')).out).retried).toBeGreaterThanOrEqual(1);
  expect(JSON.parse((await mail('list')).out)).toMatchObject({ ok: true });
  const entries = await runSql(
    database.url,
    `select changes -> 1 ->> 'new' as mail from audit_log where action = 'installation.mails_retried' order by created_at`,
  );
  expect(entries[0]).toEqual({ mail: one });
});

it.each([[[]], [['--id', 'x']], [['--all', '--id', randomUUID()]]])('mail retry %j is refused, and says why', async (args) => {
  const { code, err } = await mail('retry', ...args);
  expect(code).toBe(1);
  expect(err.trim().split('\n')).toHaveLength(1);
});
