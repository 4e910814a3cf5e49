import { randomUUID } from 'node:crypto';
import { subscribeToInvalidation } from '../../src/api/cache-invalidation.ts';
import { ApiKeyCache } from '../../src/domains/auth/index.ts';
import { createProgram } from '../../src/domains/programs/index.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { readText } from '../architecture/project.ts';
import { type TestEnvironment, testConfig } from '../support/api.ts';
import { mailCheck, registerPasskey } from '../support/passkeys.ts';
import { callAs, signedIn, tokenIn } from '../support/people.ts';
import { operatorEnv, type ProgramRun, runProgram } from '../support/run-program.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/database.ts';
import { until } from '../support/until.ts';

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

interface Run extends ProgramRun {
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  json: any;
}

let database: TestDatabase;
let runtime: Runtime;
let merchantId: string;
let programId: string;

const settings = (): TestEnvironment => operatorEnv(database.url);

/** Runs a command as an operator would; one that does not exit in time fails the test. */
const admin = async (args: readonly string[], env = settings()): Promise<Run> => {
  const run = await runProgram(['bin/admin.ts', ...args], env);
  return { ...run, json: run.out.startsWith('{') ? JSON.parse(run.out) : null };
};

beforeAll(async () => {
  database = await createTestDatabase();
  runtime = await openRuntime(testConfig(database.url), 'test');
  const made = await admin(['create-merchant', '--company', 'Acme', '--email', 'Ops@Acme.example', '--json']);
  merchantId = made.json.merchantId;
  const ctx = runtime.context({ kind: 'system', name: 'test' });
  programId = (await createProgram(ctx, { merchantId, name: 'Partners', commissionType: 'one_time', commissionPercent: 10 })).id;
});

afterAll(async () => {
  await runtime.close();
  await database.drop();
});

test('create-merchant creates a merchant and prints its ID on one line', async () => {
  const { code, out, err } = await admin(['create-merchant', '--company', 'Bolt & Sons', '--email', 'a@bolt.example', '--json']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^\{"merchantId":"[0-9a-f-]{36}"\}\n$/);
  const rows = await runSql(database.url, "select email from merchant where company_name = 'Bolt & Sons'");
  expect(rows).toHaveLength(1);
});

test('invite-person prints the link of an invite, and sign-in-link one of a person or an affiliate', async () => {
  const invite = await admin([
    'invite-person',
    '--merchant',
    merchantId,
    '--email',
    'Grace@acme.example',
    '--role',
    'owner',
    '--json',
  ]);
  expect(invite.json).toMatchObject({ url: expect.stringMatching(/\/sign-in\/invite\?token=[\w-]{43}$/) });
  const ofPerson = ['sign-in-link', '--merchant', merchantId, '--email', 'grace@acme.example', '--json'];
  expect(await admin(ofPerson)).toMatchObject({ code: 1, err: expect.stringContaining('Person not found') });
  const api = { runtime };
  const token = tokenIn(invite.json.url);
  await callAs(api, { kind: 'anonymous' }, 'acceptPersonInvite', { body: { token, name: 'Grace Holt' } });
  const link = expect.stringMatching(/\/sign-in\/link\?token=[\w-]{43}$/);
  expect((await admin(ofPerson)).json).toMatchObject({ url: link, code: expect.stringMatching(/^\d{6}$/) });
  const profile = await admin(['create-profile', '--email', 'solo@x.example', '--name', 'Solo', '--json']);
  expect((await admin(['sign-in-link', '--affiliate', profile.json.profileId, '--json'])).json).toMatchObject({ url: link });
  for (const email of ['grace@acme.example', 'Solo@x.example'])
    expect((await admin(['sign-in-link', '--email', email, '--json'])).json).toMatchObject({ url: link });
  const unknown = await admin(['sign-in-link', '--email', 'nobody@acme.example', '--json']);
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('Person not found') });
  expect(await admin(['sign-in-link', '--json'])).toMatchObject({ code: 1, err: expect.stringContaining('--affiliate') });
});

test('replace-passkeys removes those of a person after 24 hours, and says so by mail', async () => {
  const of = ['--merchant', merchantId, '--email', 'ada@acme.example', '--json'];
  const invite = await admin(['invite-person', '--role', 'owner', ...of]);
  const api = { runtime };
  const body = { token: tokenIn(invite.json.url), name: 'Ada Byron' };
  const { data } = await callAs(api, { kind: 'anonymous' }, 'acceptPersonInvite', { body });
  expect(await admin(['replace-passkeys', ...of])).toMatchObject({ code: 1, err: expect.stringContaining('has no passkey') });
  const person = await signedIn(api, data.token);
  await mailCheck(api, data).then(({ confirm }) => confirm());
  await registerPasskey(api, data);
  const first = await admin(['replace-passkeys', ...of]);
  expect(first.json).toEqual({ personId: person?.personId, dueAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect((await admin(['replace-passkeys', ...of])).json).toEqual(first.json);
  const mails = await runSql(database.url, "select id from mail where kind = 'passkey_replacement'");
  expect(mails).toHaveLength(1);
  expect(await admin(['replace-passkeys', '--json'])).toMatchObject({ code: 1, err: expect.stringContaining('--affiliate') });
});

test('create-affiliate creates an approved affiliate; for the same email it returns the existing one', async () => {
  const args = ['create-affiliate', '--program', programId, '--email', 'bea@x.example', '--name', 'Bea', '--code', 'bea-1'];
  const bank = ['--bank-iban', 'DE89 3704 0044 0532 0130 00', '--bank-holder', 'Bea', '--json'];
  const first = await admin([...args, ...bank]);
  expect([first.code, first.err]).toEqual([0, '']);
  expect(first.json).toEqual({ profileId: expect.any(String), affiliateId: expect.any(String), code: 'bea-1' });
  expect((await admin(args)).json).toEqual(first.json);
  const rows = await runSql(
    database.url,
    `select 1 from affiliate where id = '${first.json.affiliateId}' and status = 'approved'`,
  );
  expect(rows).toHaveLength(1);
});

test('create-profile makes a person who belongs to no program, and returns the profile of a known address unchanged', async () => {
  const first = await admin(['create-profile', '--email', 'Eve@x.example', '--name', 'Eve', '--json']);
  expect([first.code, first.err]).toEqual([0, '']);
  expect(first.json).toEqual({ profileId: expect.any(String) });
  const again = await admin(['create-profile', '--email', 'eve@x.example', '--name', 'Eva']);
  expect(again.json).toEqual(first.json);
  const rows = await runSql(
    database.url,
    `select name, (select count(*) from affiliate where profile_id = p.id) as programs from affiliate_profile p
      where id = '${first.json.profileId}'`,
  );
  expect(rows).toEqual([{ name: 'Eve', programs: '0' }]);
});

test('erase-person replaces the data of a person, and lists what was kept and why without naming them', async () => {
  const email = 'dora@x.example';
  const made = await admin(['create-affiliate', '--program', programId, '--email', email, '--name', 'Dora Doe', '--json']);
  const { code, out, err, json } = await admin(['erase-person', '--email', email, '--json']);
  expect([code, err]).toEqual([0, '']);
  expect(json).toMatchObject({ profileId: made.json.profileId, erased: { memberships: 1, keys: 0, mails: expect.any(Number) } });
  expect(json.kept).toContainEqual({ what: 'referral codes', count: expect.any(Number), why: expect.any(String) });
  expect(out).not.toMatch(/dora/i);
  const rows = await runSql(database.url, "select 1 from affiliate_profile where email = 'dora@x.example' or name = 'Dora Doe'");
  expect(rows).toEqual([]);
});

test('an affiliate key belongs to the profile that create-affiliate returned', async () => {
  const made = await admin([
    'create-affiliate',
    '--program',
    programId,
    '--email',
    'cy@x.example',
    '--name',
    'Cy',
    '--paypal-email',
    'ok@x.example',
  ]);
  const { json } = await admin(['create-key', '--affiliate', made.json.profileId, '--json']);
  expect(json.value).toMatch(/^ak_aff_/);
  expect(await findKey(json.value)).toMatchObject({ ownerId: made.json.profileId });
});

/** The key as the API sees it. */
const findKey = async (value: string) => {
  const found = await new ApiKeyCache(runtime.orm, runtime.log).verify(value);
  return typeof found === 'string' ? null : found;
};

test('create-key applies scopes, rate limit and expiry', async () => {
  const more = [
    '--scopes',
    'payouts:read,programs:read',
    '--rate-limit',
    '777',
    '--expires-at',
    '2100-01-01T00:00:00Z',
    '--name',
    'CI',
  ];
  const { json } = await admin(['create-key', '--merchant', merchantId, ...more, '--json']);
  expect(json.value).toMatch(/^ak_live_/);
  const key = await findKey(json.value);
  expect(key).toMatchObject({ keyId: json.id, ownerId: merchantId, name: 'CI', perMinute: 777, expiresAtMs: Date.UTC(2100, 0) });
  expect([...(key?.scopes ?? [])]).toEqual(['payouts:read', 'programs:read']);
});

test('create-key supports onboarding keys and presets', async () => {
  const [onboarding, readonly] = await Promise.all([
    admin(['create-key', '--merchant', merchantId, '--type', 'onb', '--json']),
    admin(['create-key', '--merchant', merchantId, '--preset', 'readonly', '--json']),
  ]);
  expect(onboarding.json.value).toMatch(/^ak_onb_/);
  const key = await findKey(readonly.json.value);
  expect([...(key?.scopes ?? [])].every((scope) => scope.endsWith(':read'))).toBe(true);
});

test('revoke-key reaches a running process that has cached the key', async () => {
  const { id, value } = (await admin(['create-key', '--merchant', merchantId, '--json'])).json;
  const keys = new ApiKeyCache(runtime.orm, runtime.log);
  const subscriber = subscribeToInvalidation(process.env['TEST_REDIS_URL'] ?? '', keys, runtime.log);
  const dropped = new Promise<void>((resolve) => {
    subscriber.on('message', (_channel, changed) => changed === id && resolve());
  });
  await until('the process listens', async () => (await runtime.redis.pubsub('NUMSUB', 'tributary:key-changed'))[1] !== 0);
  expect(await keys.verify(value)).toMatchObject({ keyId: id });
  const revoked = await admin(['revoke-key', '--id', id, '--json']);
  expect([revoked.code, revoked.err]).toEqual([0, '']);
  await dropped;
  expect(await keys.verify(value)).toBe('revoked');
  subscriber.disconnect();
});

test('SE2: set-tier changes the tier of a merchant, also without payments', async () => {
  const created = await admin(['create-merchant', '--company', 'Tier', '--email', 'tier@example.com', '--json']);
  const { merchantId: id } = created.json;
  const set = await admin(['set-tier', '--merchant', id, '--tier', 'growth', '--json']);
  expect([set.code, set.err, set.json]).toEqual([0, '', { merchantId: id, tier: 'growth' }]);
  const { json } = await admin(['create-key', '--merchant', id, '--json']);
  expect((await findKey(json.value))?.perMinute).toBe(300);
  const wrong = await admin(['set-tier', '--merchant', id, '--tier', 'gold']);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('free, starter, growth, pro')]);
  const missing = await admin(['set-tier', '--merchant', crypto.randomUUID(), '--tier', 'pro']);
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('Merchant')]);
});

test('set-rate-limit changes a key and resets it to its tier', async () => {
  const { json } = await admin(['create-key', '--merchant', merchantId, '--json']);
  const rateOf = async () => (await findKey(json.value))?.perMinute;
  const byTier = await rateOf();
  const set = await admin(['set-rate-limit', '--id', json.id, '--rate-limit', '321', '--json']);
  expect([set.code, set.err, set.json]).toEqual([0, '', { id: json.id, rateLimit: 321 }]);
  expect(await rateOf()).toBe(321);
  const unset = await admin(['set-rate-limit', '--id', json.id, '--rate-limit', 'tier', '--json']);
  expect(unset.json).toEqual({ id: json.id, rateLimit: null });
  expect(await rateOf()).toBe(byTier);
});

test('ledger verify exits with 0 for a balanced ledger, and with 1 and the findings otherwise', async () => {
  const other = await createTestDatabase();
  const env = { ...settings(), DATABASE_URL: other.url };
  expect(await admin(['ledger', 'verify', '--json'], env)).toMatchObject({ code: 0, out: '{"ok":true,"findings":[]}\n' });
  await runSql(
    other.url,
    `insert into ledger_balance (affiliate_id, merchant_id, program_id, currency, pending, payable, in_payout, paid, open_adjustments)
     values ('${UNKNOWN_ID}', '${UNKNOWN_ID}', '${UNKNOWN_ID}', 'usd', 0, 500, 0, 0, 0)`,
  );
  const broken = await admin(['ledger', 'verify', '--json'], env);
  expect(broken).toMatchObject({ code: 1, err: '', json: { ok: false } });
  expect(broken.json.findings.map((finding: { subject: string }) => finding.subject)).toContain(UNKNOWN_ID);
  const verified = (affiliateId: string) => admin(['ledger', 'verify', '--affiliate', affiliateId, '--json'], env);
  expect((await verified(UNKNOWN_ID)).json.findings).toEqual(broken.json.findings);
  expect(await verified(randomUUID())).toMatchObject({ code: 0, out: '{"ok":true,"findings":[]}\n' });
  await other.drop();
});

test.each([
  [
    'an unknown program',
    () => ['create-affiliate', '--program', UNKNOWN_ID, '--email', 'd@x.example', '--name', 'D'],
    'NOT_FOUND',
  ],
  ['a key for an unknown merchant', () => ['create-key', '--merchant', UNKNOWN_ID], 'NOT_FOUND'],
  ['a key for an unknown affiliate', () => ['create-key', '--affiliate', UNKNOWN_ID], 'NOT_FOUND'],
  ['an unknown key', () => ['revoke-key', '--id', UNKNOWN_ID], 'NOT_FOUND'],
  ['the rate limit of an unknown key', () => ['set-rate-limit', '--id', UNKNOWN_ID, '--rate-limit', '5'], 'NOT_FOUND'],
  [
    'a mistyped IBAN',
    () => [
      'create-affiliate',
      '--program',
      programId,
      '--email',
      'e@x.example',
      '--name',
      'E',
      '--bank-iban',
      'DE00',
      '--bank-holder',
      'E',
    ],
    'VALIDATION_ERROR',
  ],
  ['a scope of the other key type', () => ['create-key', '--merchant', merchantId, '--scopes', 'links:read'], 'VALIDATION_ERROR'],
])('%s is an API error on standard error', async (_what, args, code) => {
  const run = await admin([...args(), '--json']);
  expect([run.code, run.out]).toEqual([1, '']);
  expect(JSON.parse(run.err)).toMatchObject({ error: { code, message: expect.any(String) } });
});

test.each([
  ['an unknown command', ['create-money']],
  ['an unknown option', ['create-merchant', '--company', 'A', '--email', 'a@b.example', '--free']],
  ['a missing option', ['create-merchant', '--company', 'A']],
  ['a malformed address', ['create-merchant', '--company', 'A', '--email', 'nobody']],
  ['a malformed id', ['revoke-key', '--id', '7']],
  ['a key without an owner', ['create-key']],
  ['a key with two owners', ['create-key', '--merchant', UNKNOWN_ID, '--affiliate', UNKNOWN_ID]],
  ['a key type that the owner cannot have', ['create-key', '--merchant', UNKNOWN_ID, '--type', 'aff']],
  ['an unknown scope', ['create-key', '--merchant', UNKNOWN_ID, '--scopes', 'payouts:read,all']],
  ['a rate limit of zero', ['create-key', '--merchant', UNKNOWN_ID, '--rate-limit', '0']],
  ['a time without a zone', ['create-key', '--merchant', UNKNOWN_ID, '--expires-at', '2100-01-01']],
])('%s is one line on standard error', async (_what, args) => {
  const { code, out, err } = await admin(args);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^error: [^\n]+\n$/);
});

test('without settings, the error says what to do', async () => {
  const { code, err } = await admin(['ledger', 'verify'], { PATH: process.env['PATH'], TRIBUTARY_DATA: '/nowhere' });
  expect(code).toBe(1);
  expect(err).toMatch(/^error: DATABASE_URL is not set.*npm start[^\n]*\n$/);
});

test('an unavailable database is one line without its password', async () => {
  const env = { ...settings(), DATABASE_URL: 'postgresql://me:pass-word@127.0.0.1:1/nowhere' };
  const { code, err } = await admin(['ledger', 'verify'], env);
  expect(code).toBe(1);
  expect(err).toMatch(/^error: the database is unavailable[^\n]*\n$/);
  expect(err).not.toContain('pass-word');
});

test('TE10: temporal-views prints links to the views of the guide, with the columns to choose', async () => {
  const env = { ...settings(), TEMPORAL_UI_URL: 'https://temporal.example/', TEMPORAL_BACKGROUND_NAMESPACE: 'behind' };
  const { code, json } = await admin(['temporal-views', '--json'], env);
  expect(code).toBe(0);
  const views = json.views as { name: string; url: string }[];
  const month = new Date().toISOString().slice(0, 7);
  const read = views.map(({ name, url }) => {
    const { pathname, searchParams } = new URL(url);
    return [name, pathname.split('/')[2], searchParams.get('query')];
  });
  expect(read).toEqual([
    ['Needs finance', 'tributary', expect.stringContaining('State IN ("to_pay", "to_approve", "to_decide", ')],
    ['Needs a person', 'tributary', 'NeedsAttention = true AND ExecutionStatus = "Running"'],
    ['Waiting for approval', 'tributary', expect.stringContaining('State IN ("to_approve", ')],
    ['On hold', 'tributary', expect.stringContaining('State = "on_hold"')],
    ['Paid this month', 'tributary', expect.stringContaining(`PaidAt >= "${month}-01T00:00:00.000Z"`)],
    ['Returned or corrected', 'tributary', 'WorkflowType = "payoutCorrection"'],
    ['Runs', 'tributary', 'WorkflowType = "payoutRun"'],
    ['Deliveries given up', 'behind', expect.stringContaining('ExecutionStatus = "Failed"')],
  ]);
  const guide = readText('docs/temporal-ui.md');
  expect(views.filter(({ name }) => !guide.includes(`| ${name} |`))).toEqual([]);
  expect(guide.replaceAll('`', '')).toContain(`${json.columns.slice(0, -1).join(', ')}, Rail`);
  const without = await admin(['temporal-views'], { ...settings(), TEMPORAL_UI_URL: undefined });
  expect([without.code, without.err]).toEqual([1, expect.stringContaining('TEMPORAL_UI_URL is not set')]);
});

test('end-background-workflows refuses an installation with one namespace', async () => {
  const env = { ...settings(), TEMPORAL_BACKGROUND_NAMESPACE: 'tributary' };
  const { code, err } = await admin(['end-background-workflows'], env);
  expect([code, err]).toEqual([1, expect.stringContaining('are the same')]);
});
