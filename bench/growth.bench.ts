import { loadConfig } from '../src/config.ts';
import { verifyLedger } from '../src/domains/ledger/index.ts';
import { createWebhookEndpoint } from '../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { openRuntime } from '../src/runtime.ts';
import { growTo } from './support/growth-data.ts';
import {
  type GrowthOperation,
  type GrowthSubject,
  type Member,
  operationsOf,
  PAGES,
  payLongStanding,
} from './support/growth-operations.ts';
import { options } from './support/options.ts';
import type { PgPool } from './support/pg.ts';
import { log, median, report, rounded } from './support/report.ts';
import { createBenchMerchant, withStack } from './support/stack.ts';
import { type Cost, type CostMeter, openCostMeter, sequentialReads } from './support/statement-cost.ts';

/** Conversions; a tenth of it in affiliates, a thousandth in programs, all of one merchant. */
const SIZES = options.quick ? [4_000, 8_000] : [10_000, 100_000, 1_000_000];
const ROUNDS = options.quick ? 1 : 3;
/** Statements are prepared and get a generic plan within fewer. */
const WARM_UP = 12;

type Costs = Map<string, Cost>;

/** Picks members that were added last, so that none is measured twice. */
const membersOf = async (database: PgPool, first: number): Promise<Member[]> =>
  (
    await database.query<Member>({
      name: '',
      text: `select id, 'growth' || n as code, program_id as "programId", payout_id as "payoutId", profile_id as "profileId" from bench.affiliate
        where n > 0 and n % 20 <> 19 and n >= $1 order by random() limit 1500`,
      values: [first],
    })
  ).rows;

const measureOperation = async (meter: CostMeter, { times, run }: GrowthOperation): Promise<Cost> => {
  for (let n = 0; n < WARM_UP; n++) await run(n);
  const rounds: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await meter.measure(times, run));
  return { cpuMicros: median(rounds.map((cost) => cost.cpuMicros)), pages: median(rounds.map((cost) => cost.pages)) };
};

const measureLongStanding = async (meter: CostMeter, subject: GrowthSubject, member: Member): Promise<Cost> => {
  const costs: Cost[] = [];
  for (let n = 0; n < WARM_UP + 20; n++) {
    let cancel = (): Promise<unknown> => Promise.resolve();
    const cost = await meter.measure(1, async () => {
      cancel = await payLongStanding(subject, member);
    });
    await cancel();
    if (n >= WARM_UP) costs.push(cost);
  }
  return { cpuMicros: median(costs.map((cost) => cost.cpuMicros)), pages: median(costs.map((cost) => cost.pages)) };
};

const measureAll = async (subject: GrowthSubject, database: PgPool): Promise<Costs> => {
  const meter = await openCostMeter(subject.runtime, database);
  const costs: Costs = new Map();
  const operations = await operationsOf(subject);
  const before = await sequentialReads(database);
  for (const operation of operations) costs.set(operation.name, await measureOperation(meter, operation));
  const { rows } = await database.query<Member>(
    `select id, 'growth0' as code, program_id as "programId", payout_id as "payoutId",
      profile_id as "profileId" from bench.affiliate where n = 0`,
  );
  for (const first of rows) costs.set('payout after a long time', await measureLongStanding(meter, subject, first));
  const scanned = [...(await sequentialReads(database))].filter(([name, read]) => read > (before.get(name) ?? read));
  if (scanned.length > 0) log(`   SEQUENTIAL SCANS at ${subject.size}: ${scanned.map(([name]) => name).join(', ')}`);
  costs.set('sequential scans', { cpuMicros: 0, pages: scanned.length });
  return costs;
};

/** Measures what each operation costs Postgres when the data is a hundred times larger. */
await withStack(
  async ({ env, runtime: owner, database }) => {
    const merchantId = await createBenchMerchant(owner);
    const caller = { kind: 'key', keyId: merchantId, keyType: 'merchant', ownerId: merchantId, scopes: [] } as const;
    const { endpoint } = await createWebhookEndpoint(owner.context(caller), {
      name: 'Growth',
      url: 'https://example.com/hook',
      subscribedEvents: ['conversion.created'],
    });
    const ids = { merchantId, endpointId: endpoint.id };
    const connection = await database.connect();
    const bySize = new Map<number, Costs>();
    let from = 0;
    for (const size of SIZES) {
      const startedAt = performance.now();
      await growTo(connection, owner, ids, { from, size });
      log(`   ${size} conversions loaded in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      if (from === 0) {
        const findings = await verifyLedger(owner.context({ kind: 'system', name: 'bench' }));
        if (findings.length > 0) throw new Error(`the data is not consistent: ${JSON.stringify(findings.slice(0, 3))}`);
      }
      const settings = loadConfig({ ...env, LOG_LEVEL: 'silent', DATABASE_POOL: '1', DATABASE_STATEMENT_TIMEOUT_MS: '60000' });
      const runtime = await openRuntime(settings, 'bench');
      const members = await membersOf(database, from / 10);
      bySize.set(size, await measureAll({ ...ids, runtime, members, size }, database));
      await runtime.close();
      from = size;
    }
    connection.release();
    reportGrowth(bySize);
  },
  { pinned: false },
);

function reportGrowth(bySize: ReadonlyMap<number, Costs>): void {
  const smallest = bySize.get(SIZES[0] ?? 0) ?? new Map<string, Cost>();
  const largest = bySize.get(SIZES.at(-1) ?? 0) ?? new Map<string, Cost>();
  const samples = [...largest]
    .filter(([name]) => smallest.has(name) && name !== 'sequential scans')
    .map(([name, cost]) => ({
      operation: name,
      'CPU µs': SIZES.map((size) => rounded(bySize.get(size)?.get(name)?.cpuMicros ?? Number.NaN)),
      pages: SIZES.map((size) => rounded(bySize.get(size)?.get(name)?.pages ?? Number.NaN)),
      ratio: rounded(cost.cpuMicros / (smallest.get(name)?.cpuMicros ?? Number.NaN)),
    }));
  const worst = samples.reduce((most, sample) => (sample.ratio > most.ratio ? sample : most));
  for (const { operation, ratio, ...of } of samples)
    log(`   ${operation}: ${of['CPU µs'].join(' → ')} µs, ${of.pages.join(' → ')} pages, ratio ${ratio}`);
  report({
    name: 'P14',
    what: `Postgres CPU per operation at ${SIZES.at(-1)} conversions, against ${SIZES[0]}; worst operation: ${worst.operation}`,
    unit: 'µs',
    ours: worst['CPU µs'].at(-1) ?? Number.NaN,
    anchor: worst['CPU µs'][0] ?? Number.NaN,
    ratio: worst.ratio,
    floor: 3,
    goal: 1.3,
    lowerIsBetter: true,
    samples,
    more: {
      'median ratio': median(samples.map((sample) => sample.ratio)),
      'tables scanned': largest.get('sequential scans')?.pages ?? Number.NaN,
      sizes: SIZES.join(' '),
    },
  });
  reportTotals(largest);
}

function reportTotals(costs: Costs): void {
  const { cpuMicros: ours } = costs.get(PAGES.withTotal) ?? { cpuMicros: Number.NaN };
  const { cpuMicros: anchor } = costs.get(PAGES.without) ?? { cpuMicros: Number.NaN };
  report({
    name: 'P15',
    what: `Postgres CPU of a page with meta.total at ${SIZES.at(-1)} conversions, against the same page without`,
    unit: 'µs',
    ours,
    anchor,
    ratio: ours / anchor,
    floor: 3,
    goal: 1.2,
    lowerIsBetter: true,
    samples: [],
    more: {},
  });
}
