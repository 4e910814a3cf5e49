import { setTimeout as sleep } from 'node:timers/promises';
import { startApi } from './support/http.ts';
import { options } from './support/options.ts';
import { report } from './support/report.ts';
import { prepareIntake } from './support/sale-events.ts';
import { startServer } from './support/server.ts';
import { withStack } from './support/stack.ts';

const CONNECTIONS = 8;
/** Few enough sales for each that no rule finds anything, and so many that every sale is an anomaly. */
const CASES = { 'no flags': 500, 'all flagged': 8 } as const;
const POLL_MS = 50;
const TIMEOUT_MS = 120_000;

/** P24: conversions screened per second while sales come in as fast as the API takes them, against the rate of the sales. */
await withStack(
  async (stack, started) => {
    const { env, database } = stack;
    const { programId, send } = await prepareIntake(stack, { affiliates: CASES['no flags'], connections: CONNECTIONS });
    const api = started(await startApi({ ...env, DATABASE_POOL: String(CONNECTIONS) }));
    const worker = await startServer({
      name: 'worker',
      program: 'bin/worker.ts',
      env: { ...env, WORKER_ROLES: 'relay,reviews' },
      portSetting: 'WORKER_HEALTH_PORT',
      readyPath: '/health/live',
      pinned: false,
    });
    started(worker);
    const untilScreened = async (): Promise<void> => {
      for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await sleep(POLL_MS)) {
        const text = 'select exists (select from conversion where program_id = $1 and screened_at is null) as waiting';
        const { rows } = await database.query<{ waiting: boolean }>({ name: 'waiting', text, values: [programId] });
        if (!rows[0]?.waiting) return;
      }
      throw new Error('conversions were not screened in time');
    };
    const sales = options.payouts(200, 4_000);
    const measureCase = async (affiliates: number) => {
      const cpuBefore = await worker.cpuMicros();
      const since = performance.now();
      const { requests } = await send(api, affiliates, sales);
      const receivedAt = performance.now();
      await untilScreened();
      const screenedAt = performance.now();
      const perSecond = (until: number) => (requests * 1_000) / (until - since);
      const cpuMicros = ((await worker.cpuMicros()) - cpuBefore) / requests;
      return { ours: perSecond(screenedAt), anchor: perSecond(receivedAt), behindMs: screenedAt - receivedAt, cpuMicros };
    };
    await measureCase(CASES['no flags']);
    await database.query({ name: 'analyze', text: 'analyze', values: [] });
    for (const [name, affiliates] of Object.entries(CASES)) {
      const { ours, anchor, behindMs, cpuMicros } = await measureCase(affiliates);
      report({
        name: 'P24',
        what: `conversions screened while sales come in, against the sales, ${name}`,
        unit: 'conversions/s',
        floor: 0.9,
        goal: 0.95,
        ours,
        anchor,
        ratio: ours / anchor,
        samples: [],
        more: { 'behind at the end ms': behindMs, 'worker CPU µs': cpuMicros },
      });
    }
  },
  { pinned: false },
);
