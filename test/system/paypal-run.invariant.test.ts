import { randomUUID } from 'node:crypto';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { storeRailAccount } from '../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { createSigner } from '../../src/local/paypal-double/certificates.ts';
import { signedNotice } from '../../src/local/paypal-double/notices.ts';
import { killAtRandom, whileMoving } from '../chaos/support/run-over-rail.ts';
import { seededRandom } from '../chaos/support/seeded-random.ts';
import { operator, untilSettled } from '../chaos/support/settled.ts';
import { openTestCluster, type TestCluster } from '../chaos/support/test-cluster.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { type PayPalDouble, startPayPalDouble } from '../support/rails/paypal-double.ts';
import { useForFile } from '../support/use-for-file.ts';

const PAYEES = Number(process.env['TEST_RUN_PAYEES'] ?? 300);
const KILLS = Math.max(4, Math.ceil(PAYEES / 50));
const WITHIN_MS = 240_000 + 500 * PAYEES;
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
const CLIENT = 'client-of-the-run';
/** In cents: a payment, with what PayPal charges for it. */
const PRICE = 2_025;

interface PayPalCluster extends TestCluster {
  double: PayPalDouble;
}

/** Notices arrive twice, late and out of order. */
const openPayPalCluster = async (): Promise<PayPalCluster> => {
  const double = await startPayPalDouble({ settleMs: 400, noticesTwice: true, noticeLagMs: 2_000 });
  const cluster = await openTestCluster({ env: { PAYPAL_API_URL: double.url } });
  return {
    ...cluster,
    double,
    async close() {
      await cluster.close();
      await double.stop();
    },
  };
};

const cluster = useForFile(openPayPalCluster);

const connect = async (): Promise<void> => {
  const { double, merchantId, key } = cluster;
  const given = { merchantId, rail: 'paypal' as const, account: double.accountOf(CLIENT) };
  await storeRailAccount(operator(cluster.runtime), given);
  const check = await cluster.call('POST', '/merchant/rail-accounts/paypal/check', { key });
  expect(check).toMatchObject({ status: 200, data: { status: 'ready' } });
  const chosen = await cluster.call('PATCH', '/merchant', { key, body: { payoutRails: { paypal: 'paypal' } } });
  expect(chosen.status).toBe(200);
};

interface OurPayout {
  id: string;
  status: string;
  amount: string;
  failure_code: string | null;
  idempotency_key: string | null;
}

const payoutsOf = (runId: string): Promise<OurPayout[]> =>
  rowsOf(
    cluster,
    `select p.id, p.status, p.amount, p.failure_code, a.idempotency_key from payout p
      left join payout_attempt a on a.payout_id = p.id where p.payout_run_id = ?`,
    [runId],
  );

/** An attacker knows the payout and PayPal's form, and has no key of PayPal. */
const forge = async (payout: OurPayout): Promise<number> => {
  const resource = {
    ...{ payout_item_id: 'FORGED', payout_batch_id: 'FORGED', transaction_id: 'FORGED', transaction_status: 'SUCCESS' },
    sender_batch_id: payout.idempotency_key ?? `payout-${payout.id}-1`,
    payout_item: { amount: { currency: 'USD', value: '20.00' }, receiver: 'x@example.com', sender_item_id: payout.id },
  };
  const event = {
    id: randomUUID(),
    event_type: 'PAYMENT.PAYOUTS-ITEM.SUCCEEDED',
    create_time: new Date().toISOString(),
    resource,
  };
  const { headers, body } = signedNotice(await createSigner(), 'FORGED', event);
  const url = `${cluster.runtime.config.PUBLIC_URL}/api/integrations/rails/paypal/${cluster.merchantId}`;
  return (await fetch(url, { method: 'POST', headers, body })).status;
};

it(
  `a run over PayPal pays each affiliate at most once, while workers die and the balance runs dry (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const { double, key, program } = cluster;
    await cluster.startApi();
    await double.changeAccount(CLIENT, { balances: { USD: ((PRICE * Math.floor(PAYEES / 2)) / 100).toFixed(2) } });
    await connect();
    await cluster.payables(PAYEES);
    const { data } = await cluster.call('POST', '/payout-runs', { key, body: { programId: program.programId } });
    const { id, total, items } = data;
    expect({ total, items }).toEqual({ total: { usd: 2_000 * PAYEES }, items: PAYEES });
    expect(await cluster.call('POST', `/payout-runs/${id}/confirm`, { key, body: { total, items } })).toMatchObject({
      status: 200,
    });
    await killAtRandom(cluster, random, KILLS);
    await cluster.startWorker();
    await whileMoving(cluster, id, async () => {
      const accounts = await rowsOf(cluster, `select held_code from rail_account where merchant_id = ?`, [cluster.merchantId]);
      return accounts[0]?.['held_code'] === 'INSUFFICIENT_FUNDS';
    });
    const [open] = (await payoutsOf(id)).filter(({ status }) => status === 'processing' || status === 'pending');
    if (open) expect(await forge(open)).toBe(401);
    await double.changeAccount(CLIENT, { balances: { USD: '1000000.00' } });
    const check = await cluster.call('POST', '/merchant/rail-accounts/paypal/check', { key });
    expect(check).toMatchObject({ data: { status: 'ready', held: null } });
    await whileMoving(cluster, id, async () => {
      const runs = await rowsOf(cluster, `select status from payout_run where id = ?`, [id]);
      return runs[0]?.['status'] === 'completed';
    });
    await untilSettled(cluster.runtime);

    const ours = await payoutsOf(id);
    const theirs = new Map((await double.items({ account: CLIENT })).map((item) => [item.payout_item.sender_item_id, item]));
    // Each order is executed once, and the books agree with PayPal's on each payment.
    expect(await double.items({ account: CLIENT })).toHaveLength(theirs.size);
    const stateOf = (payout: OurPayout) => theirs.get(payout.id)?.transaction_status;
    expect(ours).toHaveLength(PAYEES);
    expect(ours.filter((payout) => payout.status === 'completed' && stateOf(payout) !== 'SUCCESS')).toEqual([]);
    expect(ours.filter((payout) => payout.status !== 'completed' && stateOf(payout) !== 'FAILED')).toEqual([]);
    const paidThere = [...theirs.values()].filter((item) => item.transaction_status === 'SUCCESS');
    expect(paidThere.every((item) => item.payout_item.amount.value === '20.00')).toBe(true);
    const failed = ours.filter(({ status }) => status === 'failed');
    process.stdout.write(
      `[paypal] ${ours.length} payouts, ${paidThere.length} paid, ${failed.length} failed at the empty balance\n`,
    );
    expect(await verifyLedger(operator(cluster.runtime))).toEqual([]);
  },
  600_000 + 2 * WITHIN_MS,
);
