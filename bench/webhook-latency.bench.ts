import { pause, until } from '../test/support/until.ts';
import { options } from './support/options.ts';
import { log, report, rounded } from './support/report.ts';
import { startServer } from './support/server.ts';
import { withStack } from './support/stack.ts';
import {
  allowReceiver,
  emitEvents,
  makeEndpoints,
  percentile,
  startWebhookReceiver,
  untilDelivered,
} from './support/webhooks.ts';

const TICK_MS = 50;

/**
 * P11: from the commit of an event to its arrival, in milliseconds. `idle`: 200 events/s over 50 endpoints. `busy`: 800/s.
 * `payout`: `payout.completed` to an endpoint with 10,000 other waiting deliveries. `silent`: a healthy endpoint while 25
 * endpoints of another merchant do not respond.
 */
await withStack(
  async (stack, started) => {
    const { database } = stack;
    const seconds = options.quick ? 1 : 15;
    const receiver = await startWebhookReceiver();
    started(receiver.child);
    const endpoints = await makeEndpoints(stack, receiver, 50);
    const silent = await makeEndpoints(stack, receiver, 25, '/silent');
    const [healthy = ''] = await makeEndpoints(stack, receiver, 1);
    started(
      await startServer({
        name: 'worker',
        program: 'bin/worker.ts',
        env: { ...stack.env, ...allowReceiver(receiver), WORKER_ROLES: 'relay,webhooks' },
        portSetting: 'WORKER_HEALTH_PORT',
        readyPath: '/health/live',
        pinned: false,
      }),
    );

    /** Emits to all endpoints in turn; resolves to the milliseconds from each commit to its arrival. */
    const trickle = async (to: readonly string[], perSecond: number, type?: string): Promise<number[]> => {
      const committed = new Map<string, number>();
      const perTick = Math.max(1, Math.round((perSecond * TICK_MS) / 1_000));
      const everyMs = (perTick / perSecond) * 1_000;
      for (let tick = 0; tick * everyMs < seconds * 1_000; tick++) {
        const since = performance.now();
        const turn = Array.from({ length: perTick }, (_, at) => to[(tick * perTick + at) % to.length] ?? '');
        const ids = await emitEvents(database, turn, type === undefined ? {} : { type });
        const now = Date.now();
        for (const id of ids) committed.set(id, now);
        await pause(Math.max(0, everyMs - (performance.now() - since)), 'events come steadily');
      }
      const arrivals = await until('every event has arrived', receiver.arrivals, (seen) =>
        [...committed.keys()].every((id) => seen.has(id)),
      );
      return [...committed].map(([id, at]) => Math.max(0, (arrivals.get(id) ?? 0) - at));
    };
    const p95 = (values: readonly number[]): number => percentile(values, 0.95);
    const more: Record<string, number> = {};
    const note = (name: string, values: readonly number[]): number => {
      log(`   ${name}: p50 ${percentile(values, 0.5)} ms, p95 ${p95(values)} ms, ${values.length} events`);
      more[`${name} p50 ms`] = percentile(values, 0.5);
      more[`${name} p95 ms`] = p95(values);
      return p95(values);
    };

    await trickle(endpoints, 50);
    const idle = note('idle', await trickle(endpoints, 200));
    note('busy', await trickle(endpoints, 800));
    const [crowded = ''] = endpoints;
    await emitEvents(database, [crowded], { each: options.rows(500, 10_000) });
    const payout = note('payout', await trickle([crowded], 10, 'payout.completed'));
    await untilDelivered(database);
    const alone = note('alone', await trickle([healthy], 20));
    await emitEvents(database, silent, { each: 100 });
    await pause(1_000, 'their attempts are under way');
    const beside = note('silent', await trickle([healthy], 20));

    const figure = (what: string, ours: number, anchor: number, floor: number) =>
      report({
        name: 'P11',
        what,
        unit: 'ms',
        floor,
        goal: 1,
        lowerIsBetter: true,
        ours,
        anchor,
        ratio: ours / anchor,
        samples: [],
        more: {},
      });
    figure('p95 from commit to arrival, against the goal of 300 ms', idle, 300, rounded(2_000 / 300));
    figure('p95 of payout.completed behind 10,000 other deliveries, against the goal of 1 s', payout, 1_000, 2);
    figure('p95 beside 25 silent endpoints, against 1.5 times that without them', beside, 1.5 * alone, 2);
  },
  { pinned: false },
);
