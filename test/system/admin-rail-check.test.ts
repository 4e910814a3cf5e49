import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeRailAccount } from '../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { useOwnApi } from '../support/api.ts';
import { makeMerchant, unique } from '../support/factories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { type PayPalDouble, startPayPalDouble } from '../support/rails/paypal-double.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';

const api = useOwnApi({}, { asOwner: true });
let double: PayPalDouble;
let folder: string;
beforeAll(async () => {
  double = await startPayPalDouble();
  folder = await mkdtemp(join(tmpdir(), 'tributary-rail-check-'));
});
afterAll(async () => {
  await double.stop();
  await rm(folder, { recursive: true });
});

const railCheck = async (args: string[], more: Record<string, string> = {}) => {
  const env = operatorEnv(api.runtime.config.DATABASE_URL, { PAYPAL_API_URL: double.url, ...more });
  const { code, out, err } = await runProgram(['bin/admin.ts', 'rail-check', ...args, '--json'], env);
  return { code, err, json: out === '' ? null : JSON.parse(out), out };
};

const connect = async (secret: string | null = null) => {
  const { merchantId } = await makeMerchant(api.runtime);
  const account = double.accountOf(`client-${unique()}`);
  const given = secret === null ? account : { ...account, clientSecret: secret };
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  await storeRailAccount(ctx, { merchantId, rail: 'paypal', account: given });
  return { merchantId, account };
};

test('the stored account is checked, its report printed and stored, and ends by the exit code', async () => {
  const { merchantId, account } = await connect();
  const good = await railCheck(['--rail', 'paypal', '--merchant', merchantId]);
  expect([good.code, good.json.ok, good.json.status]).toEqual([0, true, 'ready']);
  expect(good.out).not.toContain(account.clientSecret);
  const [stored] = await rowsOf(api, 'select status from rail_account where merchant_id = ?', [merchantId]);
  expect(stored).toEqual({ status: 'ready' });
  const [entry] = await rowsOf(api, `select actor from audit_log where owner_id = ? and action = 'rail_account.checked'`, [
    merchantId,
  ]);
  expect(entry).toEqual({ actor: 'system:operator' });
  const { merchantId: other } = await connect('not-the-secret');
  const bad = await railCheck(['--rail', 'paypal', '--merchant', other]);
  expect([bad.code, bad.json.ok]).toEqual([1, false]);
  expect(bad.json.findings).toMatchObject([{ name: 'credentials', word: 'The credentials were refused.' }]);
});

test('the test values of the sandbox are walked with credentials of the environment, or of a file', async () => {
  const { clientId, clientSecret } = double.accountOf(`client-${unique()}`);
  const args = ['--rail', 'paypal', '--sandbox'];
  const byEnv = await railCheck(args, { RAIL_CHECK_CLIENT_ID: clientId, RAIL_CHECK_CLIENT_SECRET: clientSecret });
  expect(byEnv.json.steps.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  expect([byEnv.code, byEnv.json.ok, byEnv.json.steps.length > 20]).toEqual([0, true, true]);
  expect(byEnv.json.steps[0]).toEqual({ step: 'token', expected: 'granted', got: 'granted', ok: true });
  expect(byEnv.out).not.toContain(clientSecret);
  const path = join(folder, 'account.json');
  await writeFile(path, JSON.stringify({ clientId, clientSecret: 'not-the-secret' }));
  const byFile = await railCheck([...args, '--account', path]);
  expect([byFile.code, byFile.json.steps]).toEqual([
    1,
    [{ step: 'token', expected: 'granted', got: expect.any(String), ok: false }],
  ]);
  expect(await rowsOf(api, `select id from rail_account where identity like ?`, [`%${clientId}`])).toEqual([]);
});

test('what is missing or wrong is one line, without secrets', async () => {
  const missing = await railCheck(['--rail', 'paypal', '--sandbox']);
  expect([missing.code, missing.json]).toEqual([1, null]);
  expect(missing.err).toContain('RAIL_CHECK_CLIENT_ID and RAIL_CHECK_CLIENT_SECRET');
  expect((await railCheck(['--rail', 'paypal'])).err).toContain('pass --merchant <id>, or --sandbox');
  const { merchantId } = await makeMerchant(api.runtime);
  expect((await railCheck(['--rail', 'paypal', '--merchant', merchantId])).err).toContain('NOT_FOUND');
  const path = join(folder, 'live.json');
  await writeFile(path, JSON.stringify({ environment: 'live', clientId: 'client-of-live', clientSecret: 'secret-of-live' }));
  const live = await railCheck(['--rail', 'paypal', '--sandbox', '--account', path]);
  expect([live.code, live.err.includes('Only an account of the sandbox'), live.err.includes('secret-of-live')]).toEqual([
    1,
    true,
    false,
  ]);
  await writeFile(path, 'secret-of-live');
  const unreadable = await railCheck(['--rail', 'paypal', '--sandbox', '--account', path]);
  expect([unreadable.code, unreadable.err.includes('secret-of-live')]).toEqual([1, false]);
});

test('a provider without test values says so', async () => {
  const { code, json } = await railCheck(['--rail', 'stripe_connect', '--sandbox'], { RAIL_CHECK_SECRET_KEY: 'sk_test_abc' });
  expect([code, json.note]).toEqual([0, 'Stripe documents no test values to walk']);
});
