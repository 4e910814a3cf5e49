import { startChild } from './support/child.ts';
import { startApi } from './support/http.ts';
import { options } from './support/options.ts';
import { report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { prepareIntake } from './support/sale-events.ts';
import { withStack } from './support/stack.ts';

const CONNECTIONS = 8;
const AFFILIATES = 8;

/**
 * P23: signed sale events to committed conversions, for eight affiliates and for one, against the bare driver writing the
 * same rows.
 */
await withStack(async (stack, started) => {
  const { env, database } = stack;
  const { merchantId, programId, members, send } = await prepareIntake(stack, {
    affiliates: AFFILIATES,
    connections: CONNECTIONS,
  });
  const perRound = options.payouts(200, 4_000);
  const api = started(await startApi({ ...env, DATABASE_POOL: String(CONNECTIONS) }));
  const anchor = started(
    await startChild('sale-events.anchor.ts', { ...env, CONNECTIONS: String(CONNECTIONS), EVENT: 'x'.repeat(750) }),
  );
  const bare = async () => {
    const before = await anchor.cpuMicros();
    const since = performance.now();
    await anchor.run({ programId, merchantId, affiliates: members, count: perRound });
    const seconds = (performance.now() - since) / 1_000;
    return { perSecond: perRound / seconds, cpuMicros: ((await anchor.cpuMicros()) - before) / perRound };
  };
  const [many, one] = [AFFILIATES, 1].map((affiliates) => () => send(api, affiliates, perRound)) as [Round, Round];
  await many();
  await bare();
  // Plans made for empty tables scan them. Postgres does this itself about once a minute.
  await database.query({ name: 'analyze', text: 'analyze', values: [] });
  const against = await compareRates(many, bare);
  const what = 'signed sale event to committed conversion';
  const figure = { name: 'P23', unit: 'sales/s' };
  report({
    ...figure,
    what: `${what}, against bare pg writing the same rows`,
    floor: 0.4,
    goal: 0.7,
    ...against.rates,
    more: against.cpu,
  });
  const alone = await compareRates(one, many);
  report({
    ...figure,
    what: `${what}, for one affiliate, against eight`,
    floor: 0.9,
    goal: 0.9,
    ...alone.rates,
    more: alone.cpu,
  });
});

type Round = () => ReturnType<Awaited<ReturnType<typeof prepareIntake>>['send']>;
