import { startChild } from './support/child.ts';
import { startApi } from './support/http.ts';
import { measure } from './support/load.ts';
import { options } from './support/options.ts';
import { report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { seedMembers, seedProgram } from './support/seed.ts';
import { createBenchMerchant, createCallers, withStack } from './support/stack.ts';

const CONNECTIONS = 8;

/** P8: `POST /payouts`, counted in the database, against the bare driver writing the same rows. */
await withStack(async ({ env, runtime, database }, started) => {
  const merchantId = await createBenchMerchant(runtime);
  const programId = await seedProgram(runtime, database, merchantId);
  const perRound = options.payouts(200, 4_000);
  // Requests that the load generator prepares beyond those of a round.
  const spare = 4 * CONNECTIONS;
  const count = 2 * (options.rounds + 1) * (perRound + spare);
  const members = await seedMembers(runtime, database, { merchantId, programId, count });
  const headers = await createCallers(runtime, merchantId, CONNECTIONS);
  const api = started(await startApi({ ...env, DATABASE_POOL: String(CONNECTIONS) }));
  const anchor = started(
    await startChild('create-payout.anchor.ts', {
      ...env,
      CONNECTIONS: String(CONNECTIONS),
      DETAILS: 'x'.repeat(220),
      EVENT: 'x'.repeat(750),
    }),
  );

  /** Rate of the payouts committed since then, by the timestamps of their rows. */
  const countCommitted = async (since: Date, cpu: number) => {
    const { rows } = await database.query<{ done: number; seconds: number }>({
      name: 'counted',
      text: `select count(*)::int as done, extract(epoch from max(created_at) - min(created_at))::float8 as seconds
        from payout where merchant_id = $1 and created_at >= $2`,
      values: [merchantId, since],
    });
    const { done = 0, seconds = 1 } = rows[0] ?? {};
    if (done < perRound) throw new Error(`${done} of ${perRound} payouts are in the database`);
    return { perSecond: done / seconds, cpuMicros: cpu / done };
  };
  const ours = async () => {
    const since = new Date();
    const bodies = members.splice(0, perRound + spare).map((affiliateId) => JSON.stringify({ affiliateId, programId }));
    const load = {
      url: `${api.url}/api/v1/payouts`,
      method: 'POST',
      connections: CONNECTIONS,
      amount: perRound,
      headers,
      bodies,
    } as const;
    const { cpuMicros, requests } = await measure(api, load);
    return countCommitted(since, cpuMicros * requests);
  };
  const bare = async () => {
    const since = new Date();
    const before = await anchor.cpuMicros();
    await anchor.run(members.splice(0, perRound));
    return countCommitted(since, (await anchor.cpuMicros()) - before);
  };
  await ours();
  await bare();
  const { rates, cpu } = await compareRates(ours, bare);
  report({
    name: 'P8',
    what: 'POST /payouts committed, against bare pg writing the same rows',
    unit: 'payouts/s',
    floor: 0.6,
    goal: 0.85,
    ...rates,
    more: cpu,
  });
});
