import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { storeRailAccount } from '../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { killAtRandom, whileMoving } from '../chaos/support/run-over-rail.ts';
import { seededRandom } from '../chaos/support/seeded-random.ts';
import { operator, untilSettled } from '../chaos/support/settled.ts';
import { openTestCluster, type TestCluster } from '../chaos/support/test-cluster.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { platformKey, type StripeConnectServer, startStripeConnect } from '../support/stripe/connect/connect-server.ts';
import { stripeEvent, stripeSignature } from '../support/stripe/stripe-events.ts';
import { useForFile } from '../support/use-for-file.ts';

const PAYEES = Number(process.env['TEST_RUN_PAYEES'] ?? 300);
const KILLS = Math.max(4, Math.ceil(PAYEES / 50));
const WITHIN_MS = 240_000 + 500 * PAYEES;
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
const SECRET_KEY = platformKey('run');
const AMOUNT = 2_000;

interface StripeCluster extends TestCluster {
  stripe: StripeConnectServer;
}

/** Notices arrive twice and late. */
const openStripeCluster = async (): Promise<StripeCluster> => {
  const stripe = await startStripeConnect();
  await stripe.deliver({ isOn: true, isTwice: true, delayMs: 2_000 });
  const cluster = await openTestCluster({ env: { STRIPE_API_URL: stripe.url } });
  return {
    ...cluster,
    stripe,
    async close() {
      await cluster.close();
      await stripe.close();
    },
  };
};

const cluster = useForFile(openStripeCluster);

const check = () => cluster.call('POST', '/merchant/rail-accounts/stripe_connect/check', { key: cluster.key });

/** The account of the merchant, and one of each affiliate that Stripe pays. */
const connect = async (): Promise<void> => {
  const { stripe, merchantId } = cluster;
  const given = { merchantId, rail: 'stripe_connect' as const, account: { secretKey: SECRET_KEY } };
  const railAccountId = await storeRailAccount(operator(cluster.runtime), given);
  expect(await check()).toMatchObject({ status: 200, data: { status: 'ready' } });
  const members = await rowsOf(cluster, 'select distinct profile_id from affiliate where merchant_id = ?', [merchantId]);
  for (const { profile_id: profileId } of members) {
    const account = await stripe.makePayee(SECRET_KEY);
    await rowsOf(
      cluster,
      `insert into stripe_connection (id, profile_id, merchant_id, rail_account_id, country, account_id, state, has_to_wait, ready_at,
          created_at, updated_at)
        values (gen_random_uuid(), ?, ?, ?, 'DE', ?, 'ready', false, now(), now(), now()) returning id`,
      [profileId, merchantId, railAccountId, account],
    );
  }
};

interface OurPayout {
  id: string;
  status: string;
  idempotency_key: string | null;
}

const payoutsOf = (runId: string): Promise<OurPayout[]> =>
  rowsOf(
    cluster,
    `select p.id, p.status, a.idempotency_key from payout p left join payout_attempt a on a.payout_id = p.id
      where p.payout_run_id = ?`,
    [runId],
  );

/** An attacker knows the payout and Stripe's form, and has no secret of Stripe. */
const forge = async ({ id, idempotency_key: key }: OurPayout): Promise<number> => {
  const transfer = {
    ...{ id: 'tr_forged', object: 'transfer', amount: AMOUNT, amount_reversed: 0, balance_transaction: null, created: 1 },
    ...{ currency: 'usd', destination: 'acct_forged', metadata: { payoutId: id }, reversed: false },
    transfer_group: key ?? `payout-${id}-1`,
  };
  const body = JSON.stringify(stripeEvent('transfer.created', transfer));
  const url = `${cluster.runtime.config.PUBLIC_URL}/api/integrations/rails/stripe_connect/${cluster.merchantId}`;
  return (await fetch(url, { method: 'POST', headers: stripeSignature(body, 'whsec_forged'), body })).status;
};

it(
  `a run over Stripe pays each affiliate once, while workers die and the balance runs dry (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const { stripe, key, program } = cluster;
    await cluster.startApi();
    await stripe.setBalance(SECRET_KEY, 'usd', AMOUNT * Math.floor(PAYEES / 2));
    await cluster.payables(PAYEES);
    await connect();
    const { data } = await cluster.call('POST', '/payout-runs', { key, body: { programId: program.programId } });
    const { id, total, items } = data;
    expect({ total, items }).toEqual({ total: { usd: AMOUNT * PAYEES }, items: PAYEES });
    expect(await cluster.call('POST', `/payout-runs/${id}/confirm`, { key, body: { total, items } })).toMatchObject({
      status: 200,
    });
    await killAtRandom(cluster, random, KILLS);
    await cluster.startWorker();
    await whileMoving(cluster, id, async () => {
      const accounts = await rowsOf(cluster, 'select held_code from rail_account where merchant_id = ?', [cluster.merchantId]);
      return accounts[0]?.['held_code'] === 'balance_insufficient';
    });
    const [open] = (await payoutsOf(id)).filter(({ status }) => status === 'processing' || status === 'pending');
    if (open) expect(await forge(open)).toBe(401);
    await stripe.setBalance(SECRET_KEY, 'usd', AMOUNT * PAYEES);
    expect(await check()).toMatchObject({ data: { status: 'ready', held: null } });
    await whileMoving(cluster, id, async () => {
      const runs = await rowsOf(cluster, 'select status from payout_run where id = ?', [id]);
      return runs[0]?.['status'] === 'completed';
    });
    await untilSettled(cluster.runtime);

    const ours = await payoutsOf(id);
    const theirs = await stripe.transfers(SECRET_KEY);
    expect(ours.filter(({ status }) => status !== 'completed')).toEqual([]);
    // Each order is executed once, and the books agree with Stripe's on each payment.
    expect(theirs.map(({ metadata }) => metadata['payoutId']).sort()).toEqual(ours.map((payout) => payout.id).sort());
    expect(theirs.every(({ amount, currency }) => amount === AMOUNT && currency === 'usd')).toBe(true);
    process.stdout.write(`[stripe] ${ours.length} payouts, ${theirs.length} transfers, ${KILLS} kills\n`);
    expect(await verifyLedger(operator(cluster.runtime))).toEqual([]);
  },
  600_000 + 2 * WITHIN_MS,
);
