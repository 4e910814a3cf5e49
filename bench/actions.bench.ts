import { DEFAULT_NAMESPACES } from '../src/contracts/workflows/descriptor.ts';
import type { WorkflowType } from '../src/contracts/workflows/index.ts';
import { raiseFlag } from '../src/domains/flags/index.ts';
import { findFreePort } from '../src/local/stack/index.ts';
import { openTemporal } from '../src/temporal/client.ts';
import { pause, until } from '../test/support/until.ts';
import { countActions, historySizeOf, readHeartbeats } from './support/actions.ts';
import { createDriver } from './support/lifecycle.ts';
import { options } from './support/options.ts';
import { startPrograms } from './support/programs.ts';
import { log, report, rounded } from './support/report.ts';
import { prepareIntake } from './support/sale-events.ts';
import { seedMembers } from './support/seed.ts';
import { createCallers, withStack } from './support/stack.ts';
import { allowReceiver, emitEvents, makeEndpoints, startWebhookReceiver } from './support/webhooks.ts';

const MINUTE_MS = 60_000;
/** Lanes are idle after a minute without work, and heartbeats of before are over. */
const SETTLE_MS = options.quick ? 0 : 2 * MINUTE_MS;
const IDLE_MS = options.quick ? 5_000 : options.seconds > 5 ? options.seconds * 1_000 : 10 * MINUTE_MS;
/** Per minute. */
const LIMIT = 20;

/**
 * P27: actions of Temporal per minute of an idle system, against the limit. `more` has those of a payout, a sale, a flag and a delivery
 * whose first attempt fails. Ten minutes, or `--seconds`.
 */
await withStack(
  async (stack, started) => {
    const { runtime, database, env } = stack;
    const count = options.payouts(4, 50);
    const receiver = await startWebhookReceiver();
    started(receiver.child);
    const startedMs = Date.now();
    const metricsPort = await findFreePort(0);
    const { origin, programs } = await startPrograms(stack, { ...allowReceiver(receiver), METRICS_PORT: String(metricsPort) });
    programs.forEach(started);
    const { clients, close } = openTemporal({
      address: env['TEMPORAL_ADDRESS'] ?? '',
      namespaces: DEFAULT_NAMESPACES,
      tls: false,
    });
    started({ stop: close });
    const heartbeats = () => readHeartbeats(`http://127.0.0.1:${metricsPort}/metrics`);

    await pause(SETTLE_MS, 'lanes become idle');
    const idleMs = SETTLE_MS === 0 ? startedMs : Date.now();
    const heartbeatsBefore = await heartbeats();
    await pause(IDLE_MS, 'the actions of an idle system are counted');
    const beats = (await heartbeats()) - heartbeatsBefore;
    // Briefly, with `--quick`: the lanes of a worker that has just started.
    if (options.quick)
      await until('the lanes have started', async () => ((await countActions(clients, idleMs)).get('webhookLane') ?? 0) > 0);
    const idle = await countActions(clients, idleMs);
    const idleMinutes = (Date.now() - idleMs) / MINUTE_MS;
    const inHistories = [...idle.values()].reduce((sum, actions) => sum + actions, 0);
    const perMinute = (inHistories + beats) / idleMinutes;
    log(`   idle, by type of workflow: ${JSON.stringify(Object.fromEntries(idle))}, heartbeats ${beats}`);

    /** Actions of the workflows of a type for each unit of work. */
    const per = async (type: WorkflowType, units: number, work: () => Promise<unknown>): Promise<number> => {
      const sinceMs = Date.now();
      await work();
      return ((await countActions(clients, sinceMs)).get(type) ?? 0) / units;
    };
    const select = async (text: string, values: readonly unknown[]): Promise<number> =>
      (await database.query<{ count: number }>({ name: '', text, values })).rows[0]?.count ?? 0;

    const intake = await prepareIntake(stack, { affiliates: count, connections: 2 });
    const { merchantId, programId } = intake;
    const [headers = {}] = await createCallers(runtime, merchantId, 1);
    const members = await seedMembers(runtime, database, { merchantId, programId, count });
    const pay = createDriver({ database, merchantId, programId, url: `${origin}/api/v1/payouts`, headers, inFlight: 50 });
    // One at a time: how many actions they need does not depend on the load.
    const payout = await per('payoutLifecycle', count, async () => {
      for (const member of members) await pay([member]);
    });

    const [api] = programs;
    if (!api) throw new Error('the API was not started');
    const isScreened = async () =>
      (await select('select count(*)::int as count from conversion where screened_at is null', [])) === 0;
    const sale = await per('screening', count, async () => {
      await intake.send(api, count, count);
      await until('every sale is screened', isScreened);
    });

    const ctx = runtime.context({ kind: 'system', name: 'bench' });
    const flag = await per('flagReview', 1, async () => {
      const affiliateId = intake.members[0] ?? '';
      const found = { merchantId, programId, affiliateId, type: 'self_referral', details: {}, conversionIds: [] } as const;
      const { flagId } = await raiseFlag(ctx, found);
      const isStarted = () =>
        clients.finance.workflow
          .getHandle(`flag/${flagId}`)
          .describe()
          .then(
            () => true,
            () => false,
          );
      await until('the review of the flag has started', isStarted);
      const url = `${origin}/api/v1/flags/${flagId}/resolve`;
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ status: 'dismissed' }) });
      if (!response.ok) throw new Error(`flag not resolved: ${await response.text()}`);
      await clients.finance.workflow.getHandle(`flag/${flagId}`).result();
    });

    const [endpoint = ''] = await makeEndpoints(stack, receiver, 1, '/second');
    const deliveries = 4;
    const waiting = `select count(*)::int as count from webhook_delivery where endpoint_id = $1 and status = 'pending'`;
    const retried = await per('webhookDelivery', deliveries, async () => {
      await emitEvents(database, [endpoint], { each: deliveries });
      await until('every delivery has succeeded', async () => (await select(waiting, [endpoint])) === 0);
      await pause(1_000, 'the last actions are counted too');
    });

    report({
      name: 'P27',
      what: `actions of Temporal per minute of an idle system, against ${LIMIT}`,
      unit: 'actions/min',
      floor: 1,
      goal: 1,
      lowerIsBetter: true,
      ours: perMinute,
      anchor: LIMIT,
      ratio: perMinute / LIMIT,
      samples: [],
      more: {
        'idle minutes': rounded(idleMinutes),
        'heartbeats per minute': rounded(beats / idleMinutes),
        'per payout': rounded(payout),
        'per sale': rounded(sale),
        'per flag': rounded(flag),
        'per delivery with one retry': rounded(retried),
        'kB of a payout': rounded(await historySizeOf(clients, 'payoutLifecycle')),
        'kB of a delivery with one retry': rounded(await historySizeOf(clients, 'webhookDelivery')),
        'kB of a flag': rounded(await historySizeOf(clients, 'flagReview')),
      },
    });
  },
  { pinned: false },
);
