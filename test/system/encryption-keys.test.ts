import { decryptSamples } from '../../src/audit/doctor/database-checks.ts';
import { createSignInLink } from '../../src/domains/people/index.ts';
import { setStripeSecret } from '../../src/domains/programs/index.ts';
import { ENCRYPTED_COLUMNS } from '../../src/encrypted-columns.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { reencryptColumn } from '../../src/platform/crypto/reencrypt.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { openProxy } from '../chaos/support/proxy.ts';
import { emailOf } from '../domains/notifications/support.ts';
import { type OwnTestApi, openTestApi, SLOW_DATABASE, testConfig } from '../support/api.ts';
import { makePayable, saleEvent, sendEvent, unique } from '../support/factories.ts';
import { callAs, signedIn, tokenIn } from '../support/people.ts';
import { planOf, rowsReadFrom } from '../support/plans.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/database.ts';
import { recordStatementsWithValues } from '../support/statements.ts';
import { pause } from '../support/until.ts';

const SECRET = 'the-iban-of-somebody';
const CELL = { table: 'payout_details', column: 'ciphertext', row: 'any' };
const key = (id: string, fill: number): string => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;
const K1 = key('k1', 1);
const K2 = key('k2', 2);
const BOTH = `${K2},${K1}`;

let database: TestDatabase;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  await database.drop();
});

const track = <T extends { close(): Promise<void> }>(opened: T): T => {
  open.push(opened);
  return opened;
};
const apiWith = async (keys: string): Promise<OwnTestApi> =>
  track(await openTestApi({ DATABASE_URL: database.url, ENCRYPTION_KEYS: keys }));
const runtimeWith = async (keys: string): Promise<Runtime> =>
  track(await openRuntime(testConfig(database.url, { ...SLOW_DATABASE, ENCRYPTION_KEYS: keys }), 'test'));
const close = async (opened: { close(): Promise<void> }): Promise<void> => {
  open.splice(open.indexOf(opened), 1);
  await opened.close();
};

const run = (script: string, args: string[], keys: string) =>
  runProgram([script, ...args], operatorEnv(database.url, { API_PORT: '0', ENCRYPTION_KEYS: keys }));

/** The ids of the keys that stored values are encrypted under, over all columns. */
const keysInUse = async (): Promise<string[]> => {
  const columns = ENCRYPTED_COLUMNS.map(
    ({ table, column, where }) =>
      `select split_part(${column}, '.', 2) as key from ${table} where ${where ?? `${column} is not null`}`,
  );
  const found = await runSql(database.url, `select distinct key from (${columns.join(' union all ')}) as used order by 1`);
  return found.map(({ key: id }) => String(id));
};

const reencryptAll = async (runtime: Runtime) => {
  const ctx = () => runtime.context({ kind: 'system', name: 'test' });
  return Promise.all(ENCRYPTED_COLUMNS.map((column) => reencryptColumn(ctx(), column)));
};

test('H10: after re-encrypting while requests come in, the old key can go: everything is readable, and a customer is still recognized', async () => {
  const before = await apiWith(K1);
  const known = await makePayable(before);
  const headers = { 'idempotency-key': `key-${unique()}` };
  const request = { key: known.key, body: { name: 'Second', scopes: ['payouts:read'] }, headers };
  const issued = await before.call('POST', '/auth/keys', request);
  const endpoint = { name: 'Hook', url: 'http://127.0.0.1:9/hook', subscribedEvents: ['payout.created'] };
  const made = await before.call('POST', '/webhooks', { key: known.key, body: endpoint });
  const settings = { headers: { Authorization: 'Bearer 7f9c24e5' } };
  await before.call('PATCH', `/webhooks/${made.data.endpoint.id}/settings`, { key: known.key, body: settings });
  const sale = saleEvent({ referralCode: known.code });
  await sendEvent(before, known.program, sale);
  const paid = await before.call('POST', '/payouts', {
    key: known.key,
    body: { affiliateId: known.affiliateId, programId: known.programId },
  });
  // A mail tells the person, who can bring the previous details back.
  const { url } = await createSignInLink(before.runtime.context({ kind: 'system', name: 'test' }), {
    email: await emailOf(before.runtime, known.profileId),
  });
  const { token } = (await callAs(before, { kind: 'anonymous' }, 'signIn', { body: { token: tokenIn(url) } })).data;
  const person = (await signedIn(before, token))?.affiliate?.actor ?? { kind: 'anonymous' };
  const changed = await callAs(before, person, 'updatePayoutInfo', { body: { paypalEmail: 'new@x.example' } });
  const body = { programId: known.programId, email: `${unique()}@x.example`, paypalEmail: 'ok@x.example' };
  const added = await before.call('POST', '/affiliates', { key: known.key, body });
  expect([issued.status, paid.status, added.status, changed.status]).toEqual([201, 201, 201, 200]);
  const ctx = before.runtime.context({ kind: 'system', name: 'test' });
  await setStripeSecret(ctx, { programId: known.programId, secret: `whsec_${'s'.repeat(32)}` });
  await close(before);
  expect(await keysInUse()).toEqual(['k1']);

  const during = await apiWith(BOTH);
  const load = Array.from({ length: 10 }, () => makePayable(during));
  const [reports] = await Promise.all([run('bin/admin.ts', ['reencrypt', '--json'], BOTH), ...load]);
  expect([reports.code, reports.err]).toEqual([0, '']);
  const report = JSON.parse(reports.out) as { ok: boolean; key: string; columns: { column: string; reencrypted: number }[] };
  expect(report).toMatchObject({ ok: true, key: 'k2' });
  for (const { column, reencrypted } of report.columns) expect([column, reencrypted > 0]).toEqual([column, true]);
  await close(during);
  expect(await keysInUse()).toEqual(['k2']);

  const after = await apiWith(K2);
  const replayed = await after.call('POST', '/auth/keys', request);
  expect(replayed.data).toEqual(issued.data);
  const again = await sendEvent(after, known.program, sale);
  expect(again.data).toMatchObject({ outcome: 'duplicate' });
  const other = await makePayable(after);
  const second = await after.call('POST', '/payouts', {
    key: other.key,
    body: { affiliateId: other.affiliateId, programId: other.programId },
  });
  expect(second.status).toBe(201);
  for (const { table, column, id, idType, where } of ENCRYPTED_COLUMNS) {
    const row = idType === 'bytea' ? `encode(${id}, 'hex')` : `${id}::text`;
    const stored = await runSql(
      database.url,
      `select ${row} as row, ${column} as text from ${table} where ${where ?? `${column} is not null`}`,
    );
    expect([table, stored.length > 0]).toEqual([table, true]);
    for (const { row: at, text } of stored) {
      expect(after.runtime.cipher.decrypt(String(text), { table, column, row: String(at) })).not.toBe('');
    }
  }

  // What the doctor reads: a value of every column.
  const samples = () => decryptSamples(after.runtime.context({ kind: 'system', name: 'test' }), ENCRYPTED_COLUMNS);
  expect(await samples()).toEqual({ decrypted: expect.any(Number), failed: [] });
  expect((await samples()).decrypted).toBeGreaterThanOrEqual(ENCRYPTED_COLUMNS.length);
  for (const { table, column, where } of ENCRYPTED_COLUMNS)
    await runSql(database.ownerUrl, `update ${table} set ${column} = 'v1.k2.AAAA' where ${where ?? `${column} is not null`}`);
  const unreadable = ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column} (key k2)`);
  expect(await samples()).toEqual({ decrypted: 0, failed: unreadable });
});

test('H10: a value that changes while it is re-encrypted keeps its new content; a locked one is left for the next pass', async () => {
  const runtime = await runtimeWith(K1);
  const id = '01890000-0000-7000-8000-000000000001';
  const place = { table: 'affiliate_profile', column: 'payout_details', row: id };
  const text = runtime.cipher.encrypt(SECRET, place);
  await runSql(
    database.url,
    `insert into affiliate_profile (id, user_id, email, payout_details, created_at, updated_at) values ('${id}', '${id}', 'a@b.example', '${text}', now(), now())`,
  );
  await close(runtime);
  const rotated = await runtimeWith(BOTH);
  const column = ENCRYPTED_COLUMNS.find(({ table }) => table === 'affiliate_profile');
  if (!column) throw new Error('no column');
  const ctx = rotated.context({ kind: 'system', name: 'test' });
  const locked = await rotated.orm.em.fork().transactional(async (em) => {
    await em.execute(`select 1 from affiliate_profile where id = '${id}' for update`);
    return reencryptColumn(ctx, column);
  });
  expect(locked).toMatchObject({ scanned: 1, reencrypted: 0, left: 1 });
  expect(await reencryptColumn(ctx, column)).toMatchObject({ scanned: 1, reencrypted: 1, left: 0 });
  expect(await reencryptColumn(ctx, column)).toMatchObject({ scanned: 1, reencrypted: 0, left: 0 });
  const [stored] = await runSql(database.url, 'select payout_details as text from affiliate_profile');
  expect(rotated.cipher.decrypt(String(stored?.['text']), place)).toBe(SECRET);

  await runSql(database.url, "update affiliate_profile set payout_details = 'v1.k1.AAAA'");
  expect(await reencryptColumn(ctx, column)).toMatchObject({ reencrypted: 0, unreadable: [id] });
  expect(await runSql(database.url, 'select payout_details as text from affiliate_profile')).toEqual([{ text: 'v1.k1.AAAA' }]);
});

test('H10: the few responses with secrets are found without reading the others', async () => {
  const api = await apiWith(K1);
  await runSql(
    database.ownerUrl,
    `insert into idempotency_record (id, fingerprint, status, body, encrypted, created_at)
      select sha256(n::text::bytea), '', 200, '{}', false, now() from generate_series(1, 5000) as n`,
    'analyze idempotency_record',
  );
  const statementsOf = await recordStatementsWithValues(api);
  const column = ENCRYPTED_COLUMNS.filter(({ table }) => table === 'idempotency_record');
  const sent = await statementsOf(() => decryptSamples(api.runtime.context({ kind: 'system', name: 'test' }), column));
  const plans = await Promise.all(sent.map((statement) => planOf(api, statement)));
  expect(plans.map((plan) => rowsReadFrom(plan, new Set(['idempotency_record'])))).toEqual([0]);
});

test('H10: a process with a wrong or a missing key does not start, and says why in one sentence without the key', async () => {
  await close(await runtimeWith(K1));
  const wrong = key('k1', 9);
  for (const script of ['bin/api.ts', 'bin/worker.ts']) {
    const { code, out, err } = await run(script, [], wrong);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^ENCRYPTION_KEYS: the key "k1" is not the key of this id .*\.\n$/);
    expect(err).not.toContain(wrong.split(':')[1]);
  }
  const { code, err } = await run('bin/api.ts', [], K2);
  expect(code).toBe(1);
  expect(err).toMatch(/^ENCRYPTION_KEYS: the key "k1" is missing, and this database is used with it\. .*\n$/);
  const stored = await runSql(database.url, "select encode(fingerprint, 'base64') as text from encryption_key order by id");
  expect(stored.map(({ text }) => text)).not.toContain(K1.split(':')[1]);
});

test('H10: a start that was refused leaves nothing behind: the right keys start again', async () => {
  const api = await apiWith(K1);
  await makePayable(api);
  await close(api);
  await expect(runtimeWith(K2)).rejects.toThrow('the key "k1" is missing');
  await close(await runtimeWith(K1));
});

test('H10: without a schema or without a database, a process says so in one sentence', async () => {
  const url = database.url;
  await runSql(database.ownerUrl, 'alter table encryption_key rename to away');
  expect(await run('bin/api.ts', [], K1)).toEqual({
    code: 1,
    out: '',
    err: 'The database schema is not up to date: run node bin/migrate.ts\n',
  });
  expect((await run('bin/admin.ts', ['reencrypt'], K1)).err).toBe(
    'error: The database schema is not up to date: run node bin/migrate.ts\n',
  );
  database = { ...database, url: Object.assign(new URL(url), { port: '1' }).href };
  const { code, err } = await run('bin/api.ts', [], K1);
  expect([code, err]).toEqual([1, 'The database of DATABASE_URL cannot be used (ECONNREFUSED).\n']);
});

test('a process that starts while the database does not respond waits for it', async () => {
  const { host, pathname, username, password, search } = new URL(database.url);
  const proxy = track(await openProxy(host));
  // Longer than the limit for one connection.
  proxy.delay(4_000);
  const url = `postgresql://${username}:${password}@${proxy.address}${pathname}${search}`;
  const opening = openRuntime(testConfig(url, { DATABASE_CONNECT_TIMEOUT_MS: '300', ENCRYPTION_KEYS: K1 }), 'test');
  const first = await Promise.race([opening.then(() => 'open'), pause(1_000, 'waiting')]);
  proxy.delay(0);
  const runtime = track(await opening);
  expect([first, runtime.cipher.decrypt(runtime.cipher.encrypt('text', CELL), CELL)]).toEqual(['waiting', 'text']);
});

test('H10: a process that lacks a newer key than its own does not start, also while nothing is encrypted under that key', async () => {
  await close(await runtimeWith(K1));
  await close(await runtimeWith(BOTH));
  await expect(runtimeWith(K1)).rejects.toThrow('the key "k2" is missing');
  await reencryptAll(await runtimeWith(BOTH));
  await runtimeWith(K2);
  expect(await runSql(database.url, 'select id from encryption_key')).toEqual([{ id: 'k2' }]);
});

test('H10: processes that start at the same time on an empty database agree on keys and digests', async () => {
  const runtimes = await Promise.all(Array.from({ length: 5 }, () => runtimeWith(BOTH)));
  const digests = new Set(runtimes.map(({ cipher }) => cipher.digest('a@example.com', 'customer-email')));
  expect(digests.size).toBe(1);
});
