import { findFreePort } from '../src/local-stack/index.ts';
import { generateSigningSecret } from '../src/platform/crypto/standard-webhooks.ts';
import type { RunRequest } from './payout-lifecycle.anchor.ts';
import { startChild } from './support/child.ts';
import { countActivities, createDriver } from './support/lifecycle.ts';
import { options } from './support/options.ts';
import { log, median, report, rounded } from './support/report.ts';
import { seedMembers, seedProgram } from './support/seed.ts';
import { startServer } from './support/server.ts';
import { createBenchMerchant, createCallers, withStack } from './support/stack.ts';

const IN_FLIGHT = 200;
const EMPTY_FLOOR = 0.3;

/**
 * P9: payouts from `POST` to completed, with their ledger entries and events, against a workflow with as many no-op
 * activities, and against one without activities, all on one server.
 */
await withStack(
  async (stack, started) => {
    const { runtime, database } = stack;
    const perRound = options.payouts(50, 2_000);
    const rounds = Math.min(options.rounds, 3);
    const warmUp = Math.min(perRound, 300);
    const merchantId = await createBenchMerchant(runtime);
    const programId = await seedProgram(runtime, database, merchantId);
    const members = await seedMembers(runtime, database, { merchantId, programId, count: perRound * rounds + warmUp });
    const [headers = {}] = await createCallers(runtime, merchantId, 1);

    const [apiPort, sandboxPort] = [await findFreePort(0), await findFreePort(0)];
    const sandbox = { SANDBOX_API_KEY: 'a-key-for-the-benchmark', SANDBOX_NOTIFICATION_SECRET: generateSigningSecret() };
    const origin = `http://127.0.0.1:${apiPort}`;
    const env = {
      ...stack.env,
      ...sandbox,
      RAIL_PAYPAL: 'sandbox',
      SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
      PUBLIC_URL: origin,
    };
    const provider = {
      ...stack.env,
      ...sandbox,
      SANDBOX_SETTLE_MS: '0',
      SANDBOX_NOTIFICATION_URL: `${origin}/api/integrations/rails/sandbox`,
    };
    const server = { pinned: false, portSetting: 'API_PORT', readyPath: '/health/ready' };
    const programs = [
      started(await startServer({ ...server, name: 'api', program: 'bin/api.ts', env, port: apiPort })),
      started(
        await startServer({
          ...server,
          name: 'sandbox',
          program: 'bin/sandbox.ts',
          env: provider,
          portSetting: 'SANDBOX_PORT',
          readyPath: '/healthz',
          port: sandboxPort,
        }),
      ),
      started(
        await startServer({
          ...server,
          name: 'worker',
          program: 'bin/worker.ts',
          env,
          portSetting: 'WORKER_HEALTH_PORT',
          readyPath: '/health/live',
        }),
      ),
    ];
    const anchor = started(await startChild('payout-lifecycle.anchor.ts', env));
    const pay = createDriver({ database, merchantId, programId, url: `${origin}/api/v1/payouts`, headers, inFlight: IN_FLIGHT });
    const bare = async (workflow: RunRequest['workflow'], args: unknown[], count = perRound) =>
      count /
      (await anchor.run<{ seconds: number }>({ workflow, args, count, inFlight: IN_FLIGHT } satisfies RunRequest)).seconds;

    const cpu = () => Promise.all(programs.map((program) => program.cpuMicros()));
    await pay(members.splice(0, warmUp));
    const activities = await countActivities(env, database, merchantId);
    const steps = Math.round(activities);
    await bare('steps', [steps], warmUp);
    await bare('empty', [], warmUp);
    const samples: { ours: number; anchor: number; empty: number }[] = [];
    const used: number[][] = [];
    for (let round = 0; round < rounds; round++) {
      const before = await cpu();
      const sample = { ours: await pay(members.splice(0, perRound)), anchor: 0, empty: 0 };
      used.push((await cpu()).map((micros, at) => (micros - (before[at] ?? 0)) / perRound));
      sample.anchor = await bare('steps', [steps]);
      sample.empty = await bare('empty', []);
      samples.push(sample);
      log(
        `   round ${round + 1} of ${rounds}: ${rounded(sample.ours)}/s against ${rounded(sample.anchor)}/s, empty ${rounded(sample.empty)}/s`,
      );
    }
    const ofEmpty = median(samples.map((sample) => sample.ours / sample.empty));
    report({
      name: 'P9',
      what: `payout lifecycle to completed, against a workflow of ${steps} no-op activities`,
      unit: 'payouts/s',
      floor: 0.6,
      goal: 0.85,
      ours: median(samples.map((sample) => sample.ours)),
      anchor: median(samples.map((sample) => sample.anchor)),
      ratio: median(samples.map((sample) => sample.ours / sample.anchor)),
      samples,
      more: {
        activities: rounded(activities),
        'of the empty rate': `${rounded(ofEmpty)} (floor ${EMPTY_FLOOR}${ofEmpty < EMPTY_FLOOR ? ': MISSED' : ''})`,
        ...Object.fromEntries(programs.map(({ name }, at) => [`${name} CPU µs`, median(used.map((each) => each[at] ?? 0))])),
      },
    });
  },
  { pinned: false },
);
