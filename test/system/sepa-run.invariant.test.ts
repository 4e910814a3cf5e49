import { createAffiliate } from '../../src/domains/applications/index.ts';
import { movementsOfAccount } from '../../src/domains/bank-files/index.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { storeRailAccount } from '../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { endToEndIdOf } from '../../src/domains/payouts/rails/sepa/end-to-end-id.ts';
import { BankDouble, type BankMessage } from '../../src/local/bank-double/bank.ts';
import { writeStatusMessage } from '../../src/local/bank-double/messages.ts';
import { readPaymentFile } from '../../src/local/bank-double/payment-file.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { DAY } from '../api/bank-files/support.ts';
import { send } from '../chaos/support/client.ts';
import { seededRandom } from '../chaos/support/seeded-random.ts';
import { operator, untilSettled } from '../chaos/support/settled.ts';
import { useTestCluster } from '../chaos/support/test-cluster.ts';
import { makeProgram, sendSale, type TestProgram, unique } from '../support/factories.ts';
import type { AppProcess } from '../support/processes.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { DEBTOR_IBAN } from '../support/rails/sepa-bank.ts';
import { pause, until } from '../support/until.ts';

const PAYEES = Number(process.env['TEST_RUN_PAYEES'] ?? 300);
const WITHIN_MS = 240_000 + 500 * PAYEES;
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
const KILLS = 4;
const NEXT_DAY = '2026-12-01';

const cluster = useTestCluster();

/** An account of its own for each payee, so that the bank's record says who got how much. */
const ibanOf = (n: number): string => {
  const account = `37040044${String(n).padStart(10, '0')}`;
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${account}`;
};

/** The bank rejects one payee in 20, and the money of another comes back. */
const holderOf = (n: number): string => {
  if (n % 20 === 3) return 'Ann ERRAC04RJCT';
  return n % 20 === 7 ? 'Bob ERRAC06RETN' : 'Cy Paid';
};

const addPayee = async ({ programId }: TestProgram, program: TestProgram, n: number): Promise<void> => {
  const payout = { bankIban: ibanOf(n), bankAccountHolder: holderOf(n) };
  const member = { programId, email: `a-${unique()}@example.com`, name: 'Ada Test', source: 'api', payout } as const;
  const { code } = await inTransaction(operator(cluster.runtime), (ctx) => createAffiliate(ctx, member));
  const sale = await sendSale(cluster, program, { currency: 'eur', referralCode: code });
  if (sale.data?.outcome !== 'recorded') throw new Error(`no sale: ${sale.text}`);
};

const connect = async (): Promise<string> => {
  const { merchantId, key } = cluster;
  const account = { debtorName: 'Northwind GmbH', debtorIban: DEBTOR_IBAN, maxTransactions: Math.ceil(PAYEES / 3) };
  const accountId = await storeRailAccount(operator(cluster.runtime), { merchantId, rail: 'sepa', account });
  const body = { payoutRails: { bank_transfer: 'sepa' } };
  expect((await cluster.call('PATCH', '/merchant', { key, body })).status).toBe(200);
  return accountId;
};

const beginRun = async ({ programId }: TestProgram): Promise<string> => {
  const { key } = cluster;
  const { data } = await cluster.call('POST', '/payout-runs', { key, body: { programId } });
  const { id, total, items } = data;
  expect({ total, items }).toEqual({ total: { eur: 2_000 * PAYEES }, items: PAYEES });
  const confirmed = await cluster.call('POST', `/payout-runs/${id}/confirm`, { key, body: { total, items } });
  expect(confirmed.status).toBe(200);
  return id;
};

interface OurPayout {
  id: string;
  status: string;
  failure_code: string | null;
  idempotency_key: string | null;
}

const payoutsOf = (runId: string): Promise<OurPayout[]> =>
  rowsOf(
    cluster,
    `select p.id, p.status, p.failure_code, a.idempotency_key from payout p left join payout_attempt a on a.payout_id = p.id
      where p.payout_run_id = ?`,
    [runId],
  );

/** Two APIs are asked for files of the run at once, and one of them is killed, until nothing waits. */
const makeFilesWhileKilled = async (runId: string, random: ReturnType<typeof seededRandom>): Promise<void> => {
  const request = { path: '/bank-files', key: cluster.key, body: { runId }, timeoutMs: 60_000 };
  const other = await cluster.startApi({ port: await findFreePort(0) });
  let victim = await cluster.startApi();
  for (let kill = 0; ; kill++) {
    const asked = Promise.all([victim, other].map((api) => send(api.url, { ...request, idempotencyKey: unique() })));
    if (kill < KILLS) {
      await pause(50 + random.integer(1_200), 'kills come at random moments');
      await victim.kill();
    }
    await asked;
    // Nobody works on what is left after two minutes, which are over now.
    const abandoned = `update bank_file set worked_at = worked_at - interval '1 hour' where status = 'making' returning id`;
    await rowsOf(cluster, abandoned, []);
    await cluster.runtime.finishAbandonedFiles(operator(cluster.runtime));
    if (kill >= KILLS && (await payoutsOf(runId)).every(({ status }) => status === 'processing')) break;
    if (!victim.isRunning()) victim = await cluster.startApi();
  }
  await other.kill();
};

/** Sends a message until the API answers: it may be killed meanwhile. */
const bring = async (api: AppProcess, { bytes }: BankMessage): Promise<number> => {
  const order = { path: '/bank-files/statements', key: cluster.key, body: { content: bytes.toString() }, timeoutMs: 60_000 };
  const outcome = await send(api.url, { ...order, idempotencyKey: unique() });
  if (outcome.kind !== 'response') return 0;
  return outcome.status === 200 && JSON.parse(outcome.body).data.remaining > 0 ? 0 : outcome.status;
};

/** In another order than they were written, each twice, while the API is killed now and then. */
const bringAll = async (messages: readonly BankMessage[], random: ReturnType<typeof seededRandom>): Promise<void> => {
  const waiting = [...messages, ...messages].map((message) => ({ message, at: random.integer(1_000_000) }));
  waiting.sort((a, b) => a.at - b.at);
  let api = await cluster.startApi();
  for (const [n, { message }] of waiting.entries()) {
    const answer = bring(api, message);
    if (n % 5 === 2) {
      await pause(random.integer(300), 'kills come at random moments');
      await api.kill();
    }
    if ((await answer) !== 0) continue;
    if (!api.isRunning()) api = await cluster.startApi();
    await until(
      'the API has taken the message',
      () => bring(api, message),
      (status) => status === 200,
    );
  }
  await api.kill();
};

it(
  `a run over bank files pays each affiliate once, while APIs and workers die (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const { merchantId, key, runtime } = cluster;
    const program = await makeProgram(cluster, key, { currency: 'eur' });
    for (let n = 0; n < PAYEES; n++) await addPayee(program, program, n);
    const accountId = await connect();
    const runId = await beginRun(program);
    let worker = await cluster.startWorker({ faults: 'run:after-page' });
    await worker.ended();
    worker = await cluster.startWorker();
    await until(
      'all payouts wait',
      () => payoutsOf(runId),
      (payouts) => payouts.length === PAYEES,
    );
    await makeFilesWhileKilled(runId, random);

    const files = await rowsOf(
      cluster,
      `select id, message_id, status, payments from bank_file where merchant_id = ? order by n`,
      [merchantId],
    );
    expect(new Set(files.map(({ status }) => status))).toEqual(new Set(['ready']));
    const bank = new BankDouble(() => new Date(), { statementVersion: '02' });
    const messages: BankMessage[] = [];
    const ordered: string[] = [];
    for (const [n, file] of files.entries()) {
      const { data } = await cluster.call('GET', `/bank-files/${file.id}/content`, { key });
      const bytes = Buffer.from(data.content);
      ordered.push(...readPaymentFile(bytes).payments.map(({ endToEndId }) => endToEndId));
      messages.push(...bank.receive(bytes), ...bank.execute(file.message_id, DAY));
      // Somebody uploads it once more.
      if (n === 0) messages.push(...bank.receive(bytes));
    }
    const ours = await payoutsOf(runId);
    expect(ordered.toSorted()).toEqual(ours.map(({ idempotency_key: of }) => endToEndIdOf(of ?? '')).toSorted());

    const stranger = {
      id: 'P-X',
      at: new Date(),
      fileId: '20261130-000009-XX9999-0000',
      group: { code: 'RJCT', reason: 'FF01' },
    };
    messages.push({ name: 'foreign.xml', bytes: writeStatusMessage('10', stranger) });
    await bringAll([...messages, bank.statement(DEBTOR_IBAN, DAY, DAY)], random);
    const returned = files.flatMap((file) => bank.sendBack(file.message_id, NEXT_DAY));
    await bringAll([...returned, bank.statement(DEBTOR_IBAN, NEXT_DAY, NEXT_DAY)], random);
    const isCompleted = async () => (await rowsOf(cluster, `select status from payout_run where id = ?`, [runId]))[0]?.['status'];
    await until('the run is completed', isCompleted, (status) => status === 'completed');
    await untilSettled(runtime);
    await worker.stop();

    // Each payee has the amount once, or nothing: by the books and by the bank.
    const ended = await payoutsOf(runId);
    const countOf = (kind: string) =>
      Array.from({ length: PAYEES }, (_, n) => holderOf(n)).filter((name) => name.includes(kind)).length;
    const [rejected, back] = [countOf('RJCT'), countOf('RETN')];
    const byResult = (code: string | null) => ended.filter(({ failure_code }) => failure_code === code).length;
    expect([byResult(null), byResult('rail_rejected'), byResult('returned')]).toEqual([PAYEES - rejected - back, rejected, back]);
    expect(ended.filter(({ status, failure_code: code }) => (status === 'completed') !== (code === null))).toEqual([]);
    const got = Array.from({ length: PAYEES }, (_, n) => Number(bank.received.get(ibanOf(n)) ?? 0n));
    expect(got).toEqual(Array.from({ length: PAYEES }, (_, n) => (holderOf(n) === 'Cy Paid' ? 2_000 : 0)));
    const { movements, completeDays } = await movementsOfAccount(
      operator(runtime),
      accountId,
      new Date(`${DAY}T00:00:00Z`),
      new Date(`${NEXT_DAY}T23:59:59Z`),
    );
    const kinds = (kind: string) => movements.filter((movement) => movement.kind === kind).length;
    expect([kinds('payment'), kinds('return'), movements.length]).toEqual([PAYEES - rejected, back, PAYEES - rejected + back]);
    expect(completeDays).toEqual([DAY, NEXT_DAY]);
    expect(await verifyLedger(operator(runtime))).toEqual([]);
    process.stdout.write(`[sepa] ${PAYEES} payouts in ${files.length} files, ${rejected} rejected, ${back} came back\n`);
  },
  600_000 + 2 * WITHIN_MS,
);
