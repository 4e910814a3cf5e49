import type { CheckResult } from '../../src/audit/index.ts';
import { holdPayments } from '../../src/domains/payouts/index.ts';
import { execute, sql } from '../../src/platform/database/sql.ts';
import type { TestEnvironment } from '../support/api.ts';
import { makeDifference } from '../support/differences.ts';
import { makeMerchant } from '../support/factories.ts';
import { makePayout } from '../support/payouts.ts';
import { openProcessSystem } from '../support/processes.ts';
import { runProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

// Some tests change the record of migrations, which only the owner of the database may do.
const system = useForFile(() => openProcessSystem({ asOwner: true }));

const doctor = (env: TestEnvironment, ...args: string[]) => runProgram(['bin/admin.ts', 'doctor', ...args], env);

const examine = async (more: TestEnvironment = {}) => {
  const { code, out, err } = await doctor({ ...system.env, ...more }, '--json');
  expect(err).toBe('');
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: CheckResult[] };
  expect(code).toBe(ok ? 0 : 1);
  return { ok, failed: checks.filter(({ status }) => status === 'fail').map(({ name, text }) => `${name}: ${text}`), checks };
};

it('a running installation passes every check: one line each, exit code 0', async () => {
  const worker = await system.startWorker();
  await makePayout(system);
  const healthy = await until(
    'all checks pass',
    () => examine(),
    ({ ok }) => ok,
  );
  expect(healthy.checks.map(({ name, status }) => `${status} ${name}`)).toEqual([
    'ok configuration',
    'ok postgres',
    'ok schema',
    'ok clock',
    'ok encryption keys',
    'ok outbox',
    'ok payments',
    'ok sale events',
    'ok mail',
    'ok role relay',
    'ok redis',
    'ok storage',
    'ok temporal',
    'ok namespace tributary',
    'ok attributes tributary',
    'ok version tributary',
    'ok namespace tributary-background',
    'ok attributes tributary-background',
    'ok version tributary-background',
    'ok schedule commission-release',
    'ok schedule retention',
    'ok schedule reconciliation',
    'ok schedule digests',
    'ok workflows',
    'ok ended work',
    'ok webhook lanes',
    'ok role payouts',
    'ok role reviews',
    'ok role webhooks',
  ]);
  const { code, out } = await doctor(system.env);
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n')).toHaveLength(healthy.checks.length);
  expect(out).toMatch(/^ok {4}encryption keys {15}[1-9]\d* stored values? decrypted$/m);
  await worker.stop();
});

it('names a storage that cannot keep files', async () => {
  const s3 = { S3_BUCKET: 'files', S3_ENDPOINT: 'http://127.0.0.1:9', S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };
  for (const { failed } of await Promise.all([examine({ FILES_DIR: '/dev/null/files' }), examine(s3)]))
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(/^storage: .*Check FILES_DIR, or the S3_ settings/)]));
});

it('names each role without a worker, and what to start', async () => {
  const { failed } = await examine({ TEMPORAL_QUEUE_PREFIX: 'nobody-' });
  expect(failed).toEqual(
    expect.arrayContaining([
      'role relay: no relay is connected to the database: start a worker with WORKER_ROLES=relay',
      'schedule commission-release: missing: start a worker, which creates it',
      'role payouts: no worker polls the task queue nobody-payouts: start one with WORKER_ROLES=payouts',
      'role reviews: no worker polls the task queue nobody-reviews: start one with WORKER_ROLES=reviews',
      'role webhooks: no worker polls the task queue nobody-webhooks: start one with WORKER_ROLES=webhooks',
    ]),
  );
});

it('reports a key that cannot decrypt stored values, and an old outbox row', async () => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  await execute(
    em,
    sql`insert into outbox (topic, subject_id, payload, not_before) values ('payout.start', uuidv7(), '{}', now() - interval '5 minutes')`,
  );
  expect((await examine()).failed).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^outbox: \d+ rows? waiting, the oldest for 3\d\d s \(payout\.start\)\. See "Outbox backlog"/),
    ]),
  );
  await execute(em, sql`delete from outbox`);
  const { failed } = await examine({ ENCRYPTION_KEYS: `other:${Buffer.alloc(32, 1).toString('base64')}` });
  expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(/^(encryption keys|startup): .*"?test"?.*/)]));
});

it('SE14: warns about an https address without TRUST_PROXY: the API speaks no TLS, so there is a proxy', async () => {
  const settings = { PUBLIC_URL: 'https://referrals.example.com', TRUST_PROXY: '0' };
  const [forgotten, set] = await Promise.all([examine(settings), examine({ ...settings, TRUST_PROXY: '1' })]);
  expect(forgotten.checks[0]).toEqual({
    name: 'configuration',
    status: 'warn',
    text: 'PUBLIC_URL is https, so there is a proxy, and TRUST_PROXY is 0: all callers share its address',
  });
  expect(set.checks[0]?.status).toBe('ok');
});

test('payments that are held or differ are named, with the command that says more', async () => {
  const { merchantId } = await makeMerchant(system.runtime);
  const ctx = system.runtime.context({ kind: 'system', name: 'test' });
  const paymentsCheck = async () => (await examine()).checks.find(({ name }) => name === 'payments');
  await makeDifference(system, { merchantId, kind: 'fee' });
  expect(await paymentsCheck()).toMatchObject({
    status: 'warn',
    text: '1 differs from what providers list: run npm run admin -- reconcile',
  });
  await holdPayments(ctx, { cause: 'operator' });
  expect(await paymentsCheck()).toMatchObject({ status: 'warn', text: expect.stringContaining('all are on hold') });
  await execute(ctx.em, sql`update payments_hold set lifted_at = now(), lifted_by = 'test'`);
  await execute(ctx.em, sql`update reconciliation_difference set status = 'closed', resolved_at = now()`);
});

it('warns about events of Stripe that wait for a person', async () => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  await execute(
    em,
    sql`insert into sale_problem (id, merchant_id, event_id, event_type, reason, created_at)
      values (uuidv7(), uuidv7(), 'evt_1', 'charge.refunded', 'UNREADABLE', now())`,
  );
  const { checks } = await examine();
  expect(checks.find(({ name }) => name === 'sale events')).toEqual({
    name: 'sale events',
    status: 'warn',
    text: '1 waits for a person: run npm run admin -- list-sale-problems',
  });
  await execute(em, sql`delete from sale_problem`);
});

it('warns about mails that were given up, and names a queue of a role that nobody serves', async () => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  await execute(
    em,
    sql`insert into mail (id, kind, subject_id, recipient, recipient_digest, period, payload, message_id, status, created_at, queued_at, updated_at)
      values (uuidv7(), 'payout_failed', uuidv7(), 'x', 'x', '', 'x', 'x', 'given_up', now(), now(), now())`,
  );
  const { checks } = await examine();
  expect(checks.find(({ name }) => name === 'mail')).toEqual({
    name: 'mail',
    status: 'warn',
    text: '1 given up: run npm run admin -- mail list',
  });
  await execute(em, sql`update mail set status = 'sent', sent_at = now(), recipient = null, payload = null`);
  const worker = await system.startWorker({ env: { WORKER_ROLES: 'relay,mail', TEMPORAL_QUEUE_PREFIX: 'mail-only-' } });
  const { failed } = await until(
    'the mail queue has a worker',
    () => examine({ TEMPORAL_QUEUE_PREFIX: 'mail-only-' }),
    (found) => !found.failed.some((line) => line.includes('mail-only-mail')),
  );
  expect(failed).toContain('role reviews: no worker polls the task queue mail-only-reviews: start one with WORKER_ROLES=reviews');
  await worker.stop();
});

it('reports a missing and an unknown migration', async () => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  await execute(em, sql`insert into migration (name, executed_at) values ('99990101000000_later', now())`);
  const { checks } = await examine();
  expect(checks.find(({ name }) => name === 'schema')).toMatchObject({
    status: 'warn',
    text: 'the database is newer than this version: 99990101000000_later. Update this program',
  });
  await execute(em, sql`delete from migration where name like '9999%'`);
  await execute(em, sql`update migration set name = 'x' || name`);
  expect((await examine()).failed).toEqual(
    expect.arrayContaining([expect.stringMatching(/^schema: not applied: \d+_initial_schema.*Run: node bin\/migrate\.ts$/)]),
  );
  await execute(em, sql`update migration set name = substr(name, 2)`);
});

it('says what is unreachable, and what to check', async () => {
  const { failed } = await examine({
    DATABASE_URL: 'postgres://tributary:secret@127.0.0.1:1/tributary',
    REDIS_URL: 'redis://127.0.0.1:1',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  });
  expect(failed).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^(postgres|startup): .*DATABASE_URL/),
      expect.stringMatching(/^redis: .*Check REDIS_URL/),
      expect.stringMatching(/^temporal: .*Check TEMPORAL_ADDRESS/),
      'namespace tributary: not checked: temporal failed',
    ]),
  );
  expect(failed.join()).not.toContain('secret');
});

it('reports invalid settings as a failed check', async () => {
  const { code, out } = await doctor({ ...system.env, API_PORT: 'many' });
  expect(code).toBe(1);
  expect(out).toMatch(/^fail {2}configuration {17}error: Invalid configuration: API_PORT /);
});

it('warns about a public URL that others cannot reach', async () => {
  const { checks } = await examine({
    ENVIRONMENT: 'production',
    RAIL_PAYPAL: 'manual',
    RAIL_BANK_TRANSFER: 'manual',
    SANDBOX_URL: undefined,
    SANDBOX_API_KEY: undefined,
    SANDBOX_NOTIFICATION_SECRET: undefined,
  });
  expect(checks[0]).toMatchObject({ name: 'configuration', status: 'warn', text: expect.stringContaining('PUBLIC_URL') });
});
