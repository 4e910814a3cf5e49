import { startChild } from './support/child.ts';
import { options } from './support/options.ts';
import { readCpuOf } from './support/process-cpu.ts';
import { log, report, rounded } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { startServer } from './support/server.ts';
import { withStack } from './support/stack.ts';
import { allowReceiver, emitEvents, makeEndpoints, startWebhookReceiver, untilDelivered } from './support/webhooks.ts';

/**
 * P10: from committed events to recorded responses, with the worker, Postgres, Temporal and the receiver on the same cores,
 * against a bare loop on the same database. CPU is that of all processes of each side, the receiver included.
 */
await withStack(
  async (stack, started) => {
    const { database, pids } = stack;
    const count = options.rows(500, 10_000);
    const [some, most] = options.quick ? [10, 50] : [100, 1_000];
    const receiver = await startWebhookReceiver();
    started(receiver.child);
    const endpoints = await makeEndpoints(stack, receiver, most);
    const settings = { ...allowReceiver(receiver), WORKER_ROLES: 'relay,webhooks' };
    const worker = started(
      await startServer({
        name: 'worker',
        program: 'bin/worker.ts',
        env: { ...stack.env, ...settings },
        portSetting: 'WORKER_HEALTH_PORT',
        readyPath: '/health/live',
        pinned: false,
      }),
    );
    await database.query(`create table anchor_delivery (id uuid primary key, body bytea not null,
      picked boolean not null default false, status int) with (fillfactor = 50)`);
    await database.query('create index anchor_delivery_free on anchor_delivery (id) where not picked');
    await database.query('grant all on anchor_delivery to public');
    const anchor = started(await startChild('webhook-delivery.anchor.ts', { ...stack.env, RECEIVER_URL: receiver.url }));

    const measure = async (processes: readonly number[], commit: () => Promise<unknown>, work: () => Promise<number>) => {
      await database.query('checkpoint');
      await commit();
      const cpuBefore = readCpuOf(processes);
      const since = performance.now();
      const delivered = await work();
      const seconds = (performance.now() - since) / 1_000;
      const cpu = readCpuOf(processes).reduce((sum, ms, at) => sum + ms - (cpuBefore[at] ?? 0), 0);
      return { perSecond: delivered / seconds, cpuMicros: (cpu * 1_000) / delivered };
    };
    const all = [pids.postgres, pids.temporal, worker.pid, receiver.child.pid];
    let succeeded = 0;
    const deliver = (to: readonly string[], each: number) =>
      measure(
        all,
        () => emitEvents(database, to, { each }),
        async () => {
          const total = await untilDelivered(database);
          const delivered = total - succeeded;
          succeeded = total;
          if (delivered !== to.length * each) throw new Error(`${delivered} of ${to.length * each} were delivered`);
          return delivered;
        },
      );
    const bare = async () => {
      const commit = async () => {
        await database.query('truncate anchor_delivery');
        await database.query(
          `insert into anchor_delivery select uuidv7(), convert_to(repeat('x', 900), 'UTF8') from generate_series(1, ${count})`,
        );
        await database.query('vacuum analyze anchor_delivery');
      };
      return measure([pids.postgres, anchor.pid, receiver.child.pid], commit, async () => {
        const { drained } = await anchor.run<{ drained: number }>('drain');
        return drained;
      });
    };
    const one = endpoints.slice(0, 1);
    await deliver(one, Math.ceil(count / 10));
    await bare();
    const { rates, cpu } = await compareRates(() => deliver(one, count), bare);
    const spread: Record<string, number> = {};
    for (const [endpointCount, events] of [
      [some, 100],
      [most, 5],
    ] as const) {
      const each = Math.max(1, Math.min(Math.floor(count / endpointCount), events));
      await deliver(endpoints.slice(0, endpointCount), 1);
      const { perSecond, cpuMicros } = await deliver(endpoints.slice(0, endpointCount), each);
      log(`   ${endpointCount} endpoints: ${rounded(perSecond)}/s, ${rounded(cpuMicros)} µs CPU each`);
      spread[`${endpointCount} endpoints /s`] = perSecond;
    }
    const memory = await database.query<{ count: number }>(
      'select count(*)::int as count from webhook_attempt where outcome is null',
    );
    if (memory.rows[0]?.count !== 0) throw new Error('attempts are not recorded');
    report({
      name: 'P10',
      what: `webhook delivery to one endpoint out of ${count} waiting events, against a bare loop`,
      unit: 'deliveries/s',
      floor: 0.1,
      goal: 0.25,
      ...rates,
      more: { ...cpu, ...spread },
    });
  },
  { pinned: false },
);
