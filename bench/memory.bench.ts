import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { findFreePort } from '../src/local/stack/index.ts';
import { generateSigningSecret } from '../src/platform/crypto/standard-webhooks.ts';
import { pause } from '../test/support/until.ts';
import { createDriver } from './support/lifecycle.ts';
import { options } from './support/options.ts';
import { log, report, rounded } from './support/report.ts';
import { seedMembers, seedProgram } from './support/seed.ts';
import { startServer } from './support/server.ts';
import { createBenchMerchant, createCallers, withStack } from './support/stack.ts';
import { allowReceiver, emitEvents, makeEndpoints, startWebhookReceiver } from './support/webhooks.ts';

const WAITING = 24_000;
const PAYOUTS_PER_SECOND = 8;
const EVENTS_PER_SECOND = 200;
const MINUTE_MS = 60_000;
/** As in the Dockerfile. */
const MEMORY_LIMITS = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=160 --v8-pool-size=1',
};

const bundleWorkflows = async (): Promise<string> => {
  const path = join(await mkdtemp(join(tmpdir(), 'tributary-bench-')), 'workflows.js');
  await execa(process.execPath, ['bin/bundle-workflows.ts', path]);
  return path;
};

const residentMb = (pid: number): number => {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
};

/**
 * P20: resident memory of worker and API under a steady load of payouts, list requests and webhooks, with 24,000 deliveries
 * that wait for an endpoint that does not respond: at the end against that after three minutes. `--seconds` sets the
 * length; 20 minutes by default.
 */
await withStack(
  async (stack, started) => {
    const { runtime, database } = stack;
    const totalMs = options.quick ? 8_000 : options.seconds > 5 ? options.seconds * 1_000 : 20 * MINUTE_MS;
    const settleMs = Math.min(3 * MINUTE_MS, totalMs / 3);
    const receiver = await startWebhookReceiver();
    started(receiver.child);
    const endpoints = await makeEndpoints(stack, receiver, 50);
    const silent = await makeEndpoints(stack, receiver, 24, '/silent');
    const merchantId = await createBenchMerchant(runtime);
    const programId = await seedProgram(runtime, database, merchantId);
    const count = Math.ceil((totalMs / 1_000) * PAYOUTS_PER_SECOND);
    const members = await seedMembers(runtime, database, { merchantId, programId, count });
    const [headers = {}] = await createCallers(runtime, merchantId, 1);
    const [apiPort, sandboxPort] = [await findFreePort(0), await findFreePort(0)];
    const origin = `http://127.0.0.1:${apiPort}`;
    const sandbox = {
      SANDBOX_API_KEY: 'a-key-for-the-benchmark',
      SANDBOX_NOTIFICATION_SECRET: generateSigningSecret(),
      SANDBOX_SETTLE_MS: '0',
      SANDBOX_NOTIFICATION_URL: `${origin}/api/integrations/rails/sandbox`,
    };
    const rail = { RAIL_PAYPAL: 'sandbox', SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`, PUBLIC_URL: origin };
    const { SANDBOX_API_KEY, SANDBOX_NOTIFICATION_SECRET } = sandbox;
    const env = {
      ...stack.env,
      ...rail,
      ...allowReceiver(receiver),
      ...MEMORY_LIMITS,
      WORKFLOW_BUNDLE: await bundleWorkflows(),
      SANDBOX_API_KEY,
      SANDBOX_NOTIFICATION_SECRET,
    };
    const start = async (name: string, portSetting: string, readyPath: string, port?: number) =>
      started(
        await startServer({
          name,
          program: `bin/${name}.ts`,
          env: name === 'sandbox' ? { ...stack.env, ...sandbox } : env,
          portSetting,
          readyPath,
          pinned: false,
          ...(port === undefined ? {} : { port }),
        }),
      );
    const api = await start('api', 'API_PORT', '/health/ready', apiPort);
    await start('sandbox', 'SANDBOX_PORT', '/healthz', sandboxPort);
    const worker = await start('worker', 'WORKER_HEALTH_PORT', '/health/live');
    await emitEvents(database, silent, { each: WAITING / silent.length });

    const endAt = performance.now() + totalMs;
    const pay = createDriver({ database, merchantId, programId, url: `${origin}/api/v1/payouts`, headers, inFlight: 100 });
    const every = async (everyMs: number, work: () => Promise<unknown>): Promise<void> => {
      while (performance.now() < endAt) {
        const since = performance.now();
        await work();
        await pause(Math.max(0, everyMs - (performance.now() - since)), 'load comes steadily');
      }
    };
    const load = Promise.all([
      every(1_000, () => pay(members.splice(0, PAYOUTS_PER_SECOND))),
      every(50, () => emitEvents(database, endpoints.slice(0, EVENTS_PER_SECOND / 20))),
      every(50, async () => (await fetch(`${origin}/api/v1/conversions?limit=20`, { headers })).arrayBuffer()),
    ]);
    const sample = () => ({ worker: residentMb(worker.pid), api: residentMb(api.pid) });
    await pause(settleMs, 'caches and pools fill');
    const before = sample();
    const samples = [before];
    while (performance.now() < endAt - 1_000) {
      await pause(Math.min(MINUTE_MS, Math.max(0, endAt - 1_000 - performance.now())), 'memory grows over time');
      samples.push(sample());
      log(`   worker ${rounded(samples.at(-1)?.worker ?? 0)} MB, API ${rounded(samples.at(-1)?.api ?? 0)} MB`);
    }
    await load;
    const last = samples.at(-1) ?? before;
    const most = (name: 'worker' | 'api') => Math.max(...samples.map((each) => each[name]));
    for (const [name, limit] of [
      ['worker', 380],
      ['api', 200],
    ] as const) {
      report({
        name: 'P20',
        what: `memory of the ${name} under load with ${WAITING} waiting deliveries, at the end against three minutes after the start`,
        unit: 'MB',
        floor: 1.15,
        goal: 1.03,
        lowerIsBetter: true,
        ours: last[name],
        anchor: before[name],
        ratio: last[name] / before[name],
        samples: samples.map((each) => ({ ours: rounded(each[name]) })),
        more: { 'highest MB': most(name), 'limit MB': limit, minutes: totalMs / MINUTE_MS },
      });
      if (most(name) > limit && !options.quick) process.exitCode = 1;
    }
  },
  { pinned: false },
);
