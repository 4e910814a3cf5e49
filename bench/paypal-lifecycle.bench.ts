import { storeRailAccount } from '../src/domains/payouts/rails/rail-accounts.steps.ts';
import { createDriver } from './support/lifecycle.ts';
import { options } from './support/options.ts';
import { cpuOf, describeCost, measureCost, type PayoutCost } from './support/payout-cost.ts';
import { startPrograms } from './support/programs.ts';
import { median, report, rounded } from './support/report.ts';
import { alternate, type Pair } from './support/rounds.ts';
import { muteCompletedPayouts, seedMembers, seedProgram } from './support/seed.ts';
import { startServer } from './support/server.ts';
import { type BenchStack, createBenchMerchant, createCallers, withStack } from './support/stack.ts';

const IN_FLIGHT = 200;
const CLIENT = 'client-of-the-benchmark';

/** Payments are done at once, and as many a minute as are sent. */
const startDouble = (stack: BenchStack) =>
  startServer({
    name: 'paypal',
    program: 'bin/paypal-double.ts',
    env: { ...stack.env, PAYPAL_DOUBLE_SETTLE_MS: '0', PAYPAL_DOUBLE_PER_MINUTE: '1000000' },
    portSetting: 'PAYPAL_DOUBLE_PORT',
    readyPath: '/healthz',
    pinned: false,
  });

/** A merchant whose payees wait for their money, and what pays them. */
const makePayer = async ({ runtime, database }: BenchStack, origin: string, count: number) => {
  const merchantId = await createBenchMerchant(runtime);
  const programId = await seedProgram(runtime, database, merchantId);
  const members = await seedMembers(runtime, database, { merchantId, programId, count });
  await muteCompletedPayouts(runtime, database, members);
  const [headers = {}] = await createCallers(runtime, merchantId, 1);
  const api = `${origin}/api/v1`;
  const pay = createDriver({ database, merchantId, programId, url: `${api}/payouts`, headers, inFlight: IN_FLIGHT });
  return { merchantId, headers, api, pay: (of: number) => pay(members.splice(0, of)) };
};

const expectOk = async (method: string, url: string, headers: Record<string, string>, body = {}): Promise<void> => {
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${url}: ${await response.text()}`);
  await response.arrayBuffer();
};

/**
 * P29: payouts from `POST` to completed over the double of PayPal, with tokens, notices and their certificates, against the
 * same over the sandbox. CPU counts all processes, the provider's too.
 */
await withStack(
  async (stack, started) => {
    const perRound = options.payouts(20, 2_000);
    const rounds = Math.min(options.rounds, 3);
    const warmUp = Math.min(perRound, 300);
    const double = started(await startDouble(stack));
    const { origin, programs } = await startPrograms(stack, {}, { PAYPAL_API_URL: double.url });
    programs.forEach(started);
    const sandbox = await makePayer(stack, origin, perRound * rounds + warmUp);
    const paypal = await makePayer(stack, origin, perRound * rounds + warmUp);
    const account = { environment: 'sandbox', clientId: CLIENT, clientSecret: `${CLIENT}-secret` };
    const ctx = stack.runtime.context({ kind: 'system', name: 'bench' });
    await storeRailAccount(ctx, { merchantId: paypal.merchantId, rail: 'paypal', account });
    const { api, headers } = paypal;
    await expectOk('POST', `${api}/merchant/rail-accounts/paypal/check`, headers);
    await expectOk('PATCH', `${api}/merchant`, headers, { payoutRails: { paypal: 'paypal' } });
    await expectOk(
      'PATCH',
      `${double.url}/double/accounts/${CLIENT}`,
      { 'content-type': 'application/json' },
      {
        balances: { USD: '10000000.00' },
      },
    );

    const pids = { ...stack.pids, ...Object.fromEntries([double, ...programs].map(({ name, pid }) => [name, pid])) };
    const costOf = (payer: typeof paypal) => () => measureCost(pids, perRound, () => payer.pay(perRound));
    await paypal.pay(warmUp);
    await sandbox.pay(warmUp);
    const describePair = (pair: Pair<PayoutCost>) => `${describeCost(pair.ours)}\n      against ${describeCost(pair.anchor)}`;
    const pairs = await alternate(costOf(paypal), costOf(sandbox), describePair, rounds);
    const ratios = pairs.map(({ ours, anchor }) => cpuOf(ours) / cpuOf(anchor));
    report({
      name: 'P29',
      what: 'CPU of all processes per payout over the double of PayPal, against the sandbox',
      unit: 'ms CPU',
      floor: 1.6,
      goal: 1.3,
      lowerIsBetter: true,
      ours: median(pairs.map(({ ours }) => cpuOf(ours))),
      anchor: median(pairs.map(({ anchor }) => cpuOf(anchor))),
      ratio: median(ratios),
      samples: pairs.map(({ ours, anchor }) => ({ ours: rounded(cpuOf(ours)), anchor: rounded(cpuOf(anchor)) })),
      more: {
        'payouts/s': median(pairs.map(({ ours }) => ours.perSecond)),
        'sandbox payouts/s': median(pairs.map(({ anchor }) => anchor.perSecond)),
        ...Object.fromEntries(Object.keys(pids).map((of) => [`${of} ms`, median(pairs.map(({ ours }) => ours.cpu[of] ?? 0))])),
      },
    });
  },
  { pinned: false },
);
