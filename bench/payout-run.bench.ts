import { createRunPayouts, lockRun } from '../src/domains/payout-runs/index.ts';
import { draftRun } from '../src/domains/payout-runs/use-cases/create-payout-run.ts';
import { confirmRun } from '../src/domains/payout-runs/use-cases/payout-run.ts';
import { inTransaction } from '../src/platform/context.ts';
import { startChild } from './support/child.ts';
import { options } from './support/options.ts';
import { median, report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { seedMembers, seedProgram } from './support/seed.ts';
import { createBenchMerchant, withStack } from './support/stack.ts';

const MAX_TRANSACTION_MS = 1_000;
const SAMPLE_MS = 25;

/** P25: a draft of 10 000 items, then their payouts, against the bare driver writing the same rows page by page. */
await withStack(async ({ env, runtime, database }, started) => {
  const merchantId = await createBenchMerchant(runtime);
  const count = options.payouts(150, 10_000);
  const anchor = started(await startChild('payout-run.anchor.ts', { ...env, DETAILS: 'x'.repeat(220), EVENT: 'x'.repeat(750) }));
  const context = () => runtime.context({ kind: 'system', name: 'bench' });
  const drafts: number[] = [];

  /** A confirmed run of new affiliates in a program of its own. */
  const prepare = async () => {
    const programId = await seedProgram(runtime, database, merchantId);
    const affiliates = await seedMembers(runtime, database, { merchantId, programId, count });
    const began = performance.now();
    const { id, items } = await inTransaction(context(), (ctx) => draftRun(ctx, { merchantId, programId }));
    drafts.push(performance.now() - began);
    if (items !== count) throw new Error(`the draft has ${items} of ${count} items`);
    await inTransaction(context(), async (ctx) => confirmRun(ctx, await lockRun(ctx, id)));
    return { runId: id, affiliates };
  };
  let longestMs = 0;
  const sample = async (): Promise<void> => {
    const { rows } = await database.query<{ ms: number | null }>({
      name: 'ages',
      text: `select max(extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as ms from pg_stat_activity
        where application_name = 'tributary-bench' and xact_start is not null`,
      values: [],
    });
    longestMs = Math.max(longestMs, rows[0]?.ms ?? 0);
  };
  const sampling = async <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setInterval(() => void sample(), SAMPLE_MS);
    return work().finally(() => clearInterval(timer));
  };
  const rateOf = async (work: () => Promise<unknown>, cpuMicros: () => Promise<number>) => {
    const before = await cpuMicros();
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1_000;
    return { perSecond: count / seconds, cpuMicros: ((await cpuMicros()) - before) / count };
  };
  const ownCpu = async () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  const createAll = async (runId: string): Promise<void> => {
    for (;;) {
      const { shares, leftOut, stuck } = await createRunPayouts(context(), { runId });
      if (stuck > 0 || leftOut.length > 0) throw new Error('not everybody is paid');
      if (shares.every(({ planned }) => planned === 0)) return;
    }
  };
  const ours = async () => {
    const { runId } = await prepare();
    return sampling(() => rateOf(() => createAll(runId), ownCpu));
  };
  const bare = async () => {
    const { runId, affiliates } = await prepare();
    return rateOf(() => anchor.run({ runId, affiliates }), anchor.cpuMicros);
  };
  const { rates, cpu } = await compareRates(ours, bare);
  report({
    name: 'P25',
    what: `payouts of a run of ${count} created, against bare pg writing the same rows`,
    unit: 'payouts/s',
    floor: 0.5,
    goal: 0.75,
    ...rates,
    more: { ...cpu, 'draft ms': median(drafts), 'longest draft ms': Math.max(...drafts), 'longest transaction ms': longestMs },
  });
  if (!options.quick && (longestMs > MAX_TRANSACTION_MS || median(drafts) > 2 * MAX_TRANSACTION_MS)) process.exitCode = 1;
});
