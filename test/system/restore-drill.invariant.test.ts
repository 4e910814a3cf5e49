import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { storeRailAccount } from '../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { operator } from '../chaos/support/settled.ts';
import { openTestCluster, type TestCluster } from '../chaos/support/test-cluster.ts';
import { makePayable } from '../support/factories.ts';
import { findPostgresPrograms, runPostgresProgram } from '../support/postgres-programs/postgres-programs.ts';
import type { AppProcess } from '../support/processes.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { type PayPalDouble, startPayPalDouble } from '../support/rails/paypal-double.ts';
import { runProgram } from '../support/run-program.ts';
import { platformKey, type StripeConnectServer, startStripeConnect } from '../support/stripe/connect/connect-server.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

const CLIENT = 'client-of-the-drill';
const STRIPE_KEY = platformKey('drill');

interface Drill extends TestCluster {
  double: PayPalDouble;
  stripe: StripeConnectServer;
  /** Runs the command of docs/backup.md that begins like this. */
  shell(command: string): Promise<void>;
  /** The command of the page that begins like this; with other words in place of those that a reader fills in. */
  admin(command: string, filledIn?: Readonly<Record<string, string>>): Promise<Answer>;
}

interface Answer {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  json: any;
}

const openDrill = async (): Promise<Drill> => {
  const double = await startPayPalDouble({ settleMs: 100 });
  const stripe = await startStripeConnect();
  const cluster = await openTestCluster({ env: { PAYPAL_API_URL: double.url, STRIPE_API_URL: stripe.url } });
  const folder = await findPostgresPrograms();
  const page = await readFile('docs/backup.md', 'utf8');
  const files = await mkdtemp(join(tmpdir(), 'tributary-backup-'));
  const server = new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? '');
  const name = new URL(cluster.runtime.config.DATABASE_URL).pathname.slice(1);
  const env = { PATH: process.env['PATH'], PGHOST: server.hostname, PGPORT: server.port, PGPASSWORD: server.password };
  const shell = (beginning: string) => {
    const prefix = 'docker compose exec -T postgres ';
    const line = page.split('\n').find((text) => text.trim().startsWith(prefix + beginning));
    if (line === undefined) throw new Error(`docs/backup.md has no ${beginning}`);
    const command = line
      .trim()
      .slice(prefix.length)
      .replace('--username=tributary_owner', `--username=${server.username}`)
      .replace(/(?<= |=)tributary(?= |$)/, name)
      .replace('tributary.dump', join(files, 'tributary.dump'));
    return runPostgresProgram({ folder, command, env });
  };
  const admin = async (beginning: string, filledIn: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const line = page.split('\n').find((text) => text.trim().startsWith(`npm run admin -- ${beginning}`));
    if (line === undefined) throw new Error(`docs/backup.md has no ${beginning}`);
    const words = line.trim().match(/"[^"]*"|<[^>]*>|\S+/g) ?? [];
    const args = words.slice(4).map((word) => filledIn[word] ?? word.replaceAll('"', ''));
    const { code, out, err } = await runProgram(['bin/admin.ts', ...args, '--json'], cluster.env);
    if (!out.startsWith('{')) throw new Error(`${line} ended with ${code}: ${out}${err}`);
    return { code, json: JSON.parse(out) };
  };
  return {
    ...cluster,
    double,
    stripe,
    shell,
    admin,
    async close() {
      await cluster.close();
      await double.stop();
      await stripe.close();
      await rm(files, { recursive: true, force: true });
    },
  };
};

const drill = useForFile(openDrill);

const connect = async (): Promise<void> => {
  const { double, merchantId, key } = drill;
  await double.changeAccount(CLIENT, { balances: { USD: '1000.00' } });
  await storeRailAccount(operator(drill.runtime), { merchantId, rail: 'paypal', account: double.accountOf(CLIENT) });
  const check = await drill.call('POST', '/merchant/rail-accounts/paypal/check', { key });
  expect(check.data?.status).toBe('ready');
  const chosen = await drill.call('PATCH', '/merchant', { key, body: { payoutRails: { paypal: 'paypal' } } });
  expect(chosen.status).toBe(200);
};

/** An affiliate whom Stripe pays, at an account of their own. */
const connectAtStripe = async ({ affiliateId }: Payable): Promise<void> => {
  const { stripe, merchantId, key } = drill;
  const given = { merchantId, rail: 'stripe_connect' as const, account: { secretKey: STRIPE_KEY } };
  const railAccountId = await storeRailAccount(operator(drill.runtime), given);
  await stripe.setBalance(STRIPE_KEY, 'usd', 100_000);
  const check = await drill.call('POST', '/merchant/rail-accounts/stripe_connect/check', { key });
  expect(check.data?.status).toBe('ready');
  const account = await stripe.makePayee(STRIPE_KEY);
  await rowsOf(
    drill,
    `insert into stripe_connection (id, profile_id, merchant_id, rail_account_id, country, account_id, state, has_to_wait, ready_at,
        created_at, updated_at)
      select gen_random_uuid(), profile_id, merchant_id, ?, 'DE', ?, 'ready', false, now(), now(), now()
      from affiliate where id = ? returning id`,
    [railAccountId, account, affiliateId],
  );
};

interface Payable {
  affiliateId: string;
  programId: string;
}

const read = async (id: string) => (await drill.call('GET', `/payouts/${id}`, { key: drill.key })).data;

const create = async ({ affiliateId, programId }: Payable): Promise<string> => {
  const { data, text } = await drill.call('POST', '/payouts', { key: drill.key, body: { affiliateId, programId } });
  if (!data) throw new Error(`no payout: ${text}`);
  return data.id;
};

const untilPaid = (id: string) =>
  until(
    `payout ${id} is paid`,
    () => read(id),
    ({ status }) => status === 'completed',
  );

const untilHeld = (id: string, reason: string) =>
  until(
    `payout ${id} is on hold: ${reason}`,
    () => read(id),
    ({ situation }) => situation.reason === reason,
  );

/** How often each payee was paid at PayPal. */
const paidAtPayPal = async (): Promise<Record<string, number>> => {
  const items = await drill.double.items({ account: CLIENT });
  const byPayee = Map.groupBy(items, ({ payout_item: { receiver } }) => receiver.replace(/\+.*/, ''));
  return Object.fromEntries([...byPayee].map(([payee, paid]) => [payee, paid.length]));
};

const startAll = async (): Promise<AppProcess[]> => [await drill.startWorker(), await drill.startApi()];

it('a database that is restored from a dump pays nobody twice who was paid in the lost hour', async () => {
  const { double, stripe, merchantId, key } = drill;
  const lost = await startAll();
  await connect();
  const payees = {
    early: await drill.payable('first'),
    byPayPal: await drill.payable('gone'),
    pending: await drill.payable('named'),
    later: await drill.payable('next'),
    byStripe: await drill.payable('connected'),
    byBank: await makePayable(drill, { merchant: { merchantId, key, keyId: '' }, local: { holder: 'Ada Bank' } }),
  };
  await connectAtStripe(payees.byStripe);
  await untilPaid(await create(payees.early));
  await lost[0]?.stop();
  const named = await create(payees.pending);

  await drill.shell('pg_dump');
  const lostWorker = await drill.startWorker();
  const lostIds = [named, await create(payees.byPayPal), await create(payees.byBank), await create(payees.byStripe)];
  for (const id of lostIds) await untilPaid(id);
  await lost[1]?.stop();
  await lostWorker.stop();

  await drill.shell('dropdb');
  await drill.shell('createdb');
  await drill.shell('pg_restore');
  const ownerUrl = Object.assign(new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? ''), {
    pathname: new URL(drill.runtime.config.DATABASE_URL).pathname,
  }).href;
  const migrated = await runProgram(['bin/migrate.ts'], { ...drill.env, MIGRATION_DATABASE_URL: ownerUrl });
  expect(migrated).toMatchObject({ code: 0, out: 'The schema is up to date.\n' });

  const [worker] = await startAll();
  const log = (await worker?.log()) ?? '';
  expect(log).toContain('all payments are on hold: compare the books, see docs/backup.md');
  expect(await rowsOf(drill, `select id from payout where id = any(?::uuid[])`, [`{${lostIds.join(',')}}`])).toEqual([
    { id: named },
  ]);
  const again = {
    byPayPal: await create(payees.byPayPal),
    byBank: await create(payees.byBank),
    byStripe: await create(payees.byStripe),
    later: await create(payees.later),
  };
  for (const id of [named, ...Object.values(again)]) await untilHeld(id, 'payments_held');

  const today = { '2026-03-31': new Date().toISOString().slice(0, 10) };
  const { code, json } = await drill.admin('reconcile', today);
  expect(code).toBe(1);
  expect(json.comparisons.map(({ rail, problem }: { rail: string; problem: unknown }) => [rail, problem]).sort()).toEqual([
    ['paypal', null],
    ['sandbox', null],
    ['stripe_connect', null],
  ]);
  const missing: { id: string; kind: string; rail: string; payoutId: string | null }[] = json.differences;
  expect(missing.map(({ kind, rail, payoutId }) => [kind, rail, payoutId === named]).sort()).toEqual([
    ['missing_here', 'paypal', false],
    ['missing_here', 'paypal', true],
    ['missing_here', 'sandbox', false],
    ['missing_here', 'stripe_connect', false],
  ]);

  expect(await drill.admin('resume-payouts')).toMatchObject({ code: 1, json: { ok: false, questions: { missingHere: 4 } } });
  expect(await drill.admin('resume-payouts --accept')).toMatchObject({ code: 0, json: { ok: true } });
  await untilPaid(again.later);
  for (const id of [again.byPayPal, again.byBank, again.byStripe]) await untilHeld(id, 'payee_held');
  // The provider's list names it: it is looked up, and a person decides.
  const decided = [{ id: named, sends: 0 }];
  for (const [rail, payout] of [
    ['paypal', again.byPayPal],
    ['sandbox', again.byBank],
    ['stripe_connect', again.byStripe],
  ] as const) {
    const { id = '' } = missing.find((each) => each.rail === rail && each.payoutId === null) ?? {};
    const linked = await drill.admin('resolve-difference', { '<difference id>': id, '<payout id>': payout });
    expect(linked).toMatchObject({ code: 0, json: { status: 'resolved', linkedPayoutId: payout } });
    decided.push({ id: payout, sends: 0 });
  }
  for (const { id } of decided) {
    await until(
      'a person has to decide',
      () => read(id),
      ({ needsAttention }) => needsAttention,
    );
    const note = 'The list of the provider has it';
    expect((await drill.call('POST', `/payouts/${id}/complete`, { key, body: { note } })).status).toBe(200);
  }

  expect(await paidAtPayPal()).toEqual({ first: 1, gone: 1, named: 1, next: 1 });
  const transfers = await drill.sandbox.transfers();
  expect(transfers.map(({ executedCount }) => executedCount)).toEqual([1]);
  expect(await stripe.transfers(STRIPE_KEY)).toHaveLength(1);
  expect((await double.balancesOf(CLIENT))['USD']).toBe((1_000 - 4 * 20.25).toFixed(2));
  expect(await verifyLedger(operator(drill.runtime))).toEqual([]);
});
