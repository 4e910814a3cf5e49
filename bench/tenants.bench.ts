import { startApi } from './support/http.ts';
import { measure, send } from './support/load.ts';
import { options } from './support/options.ts';
import { median, report } from './support/report.ts';
import { alternate, compareRates } from './support/rounds.ts';
import { seedMembers, seedProgram } from './support/seed.ts';
import { createBenchMerchant, createCallers, withStack } from './support/stack.ts';

const FEW = 8;
const MANY = 32;
/** What the other merchant sends. */
const READS_PER_SECOND = 40;
const PAYOUTS_PER_SECOND = 10;
/** More than one API process can take. */
const BUSY_PER_SECOND = 700;
/** Requests that the load generator prepares beyond those of a round. */
const SPARE = 4 * MANY;

/**
 * P18: `POST /payouts` of one merchant over 32 connections, against 8. P19: another merchant's list requests and payouts at a
 * fixed rate, beside those 32 connections, against without them.
 */
await withStack(async ({ env, runtime, database }, started) => {
  const api = started(await startApi(env));
  const rounds = options.rounds;
  const seconds = options.quick ? 2 : 10;
  const perRound = options.payouts(200, 2_000);
  const tenant = async (count: number) => {
    const merchantId = await createBenchMerchant(runtime);
    const programId = await seedProgram(runtime, database, merchantId);
    const members = await seedMembers(runtime, database, { merchantId, programId, count });
    const headers = await createCallers(runtime, merchantId, MANY);
    const payouts = (requests: number) => ({
      url: `${api.url}/api/v1/payouts`,
      method: 'POST' as const,
      headers,
      bodies: members.splice(0, requests + SPARE).map((affiliateId) => JSON.stringify({ affiliateId, programId })),
    });
    return { headers, payouts };
  };
  const own = await tenant((2 * rounds + 1) * (perRound + SPARE) + rounds * (seconds * BUSY_PER_SECOND + SPARE));
  const other = await tenant((2 * rounds + 1) * (seconds * PAYOUTS_PER_SECOND + SPARE));

  const over = (connections: number) => () => measure(api, { ...own.payouts(perRound), connections, amount: perRound });
  await over(FEW)();
  const { rates, cpu } = await compareRates(over(MANY), over(FEW));
  const what = `POST /payouts of one merchant over ${MANY} connections, against ${FEW}`;
  report({ name: 'P18', what, unit: 'payouts/s', floor: 0.6, goal: 0.95, ...rates, more: cpu });

  const served = async () => {
    const steady = { connections: FEW, seconds };
    const [reads, payouts] = await Promise.all([
      send({
        ...steady,
        url: `${api.url}/api/v1/conversions?limit=20`,
        method: 'GET',
        headers: other.headers,
        rate: READS_PER_SECOND,
      }),
      send({ ...steady, ...other.payouts(seconds * PAYOUTS_PER_SECOND), rate: PAYOUTS_PER_SECOND }),
    ]);
    if (reads.failures + payouts.failures > 0) throw new Error(`${reads.failures} reads, ${payouts.failures} payouts failed`);
    return { perSecond: (reads.requests + payouts.requests) / seconds, p99: Math.max(reads.p99, payouts.p99) };
  };
  const crowded = async () => {
    const load = send({ ...own.payouts(seconds * BUSY_PER_SECOND), connections: MANY, seconds: seconds + 1 });
    const result = await served();
    const { failures } = await load;
    if (failures > 0) throw new Error(`${failures} payouts of the busy merchant failed`);
    return result;
  };
  await served();
  const pairs = await alternate(crowded, served, ({ ours, anchor }) =>
    [ours, anchor].map(({ perSecond, p99 }) => `${perSecond}/s p99 ${p99} ms`).join(' against '),
  );
  const medianOf = (pick: (pair: (typeof pairs)[number]) => number) => median(pairs.map(pick));
  const beside = `of another merchant beside ${MANY} connections of one, against without them`;
  report({
    name: 'P19',
    what: `${READS_PER_SECOND} list requests/s and ${PAYOUTS_PER_SECOND} payouts/s ${beside}`,
    unit: 'requests/s',
    floor: 0.7,
    goal: 0.95,
    ours: medianOf(({ ours }) => ours.perSecond),
    anchor: medianOf(({ anchor }) => anchor.perSecond),
    ratio: medianOf(({ ours, anchor }) => ours.perSecond / anchor.perSecond),
    samples: pairs,
    more: {},
  });
  report({
    name: 'P19',
    what: `p99 of requests ${beside}`,
    unit: 'ms',
    floor: 3,
    goal: 1.5,
    lowerIsBetter: true,
    ours: medianOf(({ ours }) => ours.p99),
    anchor: medianOf(({ anchor }) => anchor.p99),
    ratio: medianOf(({ ours, anchor }) => ours.p99 / anchor.p99),
    samples: pairs,
    more: {},
  });
});
