import { pause, until } from '../test/support/until.ts';
import { startApi } from './support/http.ts';
import { options } from './support/options.ts';
import { report } from './support/report.ts';
import { prepareIntake } from './support/sale-events.ts';
import { startServer } from './support/server.ts';
import { withStack } from './support/stack.ts';

const CONNECTIONS = 8;
/** Fewer than ten sales for each, so that no rule finds anything, and so many that every sale is an anomaly. */
const CASES = { 'no flags': 1_000, 'all flagged': 8 } as const;
const POLL_MS = 100;

interface Lag {
  waiting: number;
  /** Since the oldest that waits was created. */
  oldestMs: number;
}

/**
 * P24: conversions screened per second while sales come in as fast as the API takes them, against the rate of the sales. As for
 * P23, the API has the first core for itself; everything else shares the others.
 */
await withStack(async (stack, started) => {
  const { env, database } = stack;
  const { programId, send } = await prepareIntake(stack, { affiliates: CASES['no flags'], connections: CONNECTIONS });
  const api = started(await startApi({ ...env, DATABASE_POOL: String(CONNECTIONS) }));
  const sales = options.payouts(100, 4_000);
  const readLag = async (): Promise<Lag> => {
    const text = `select count(*)::int as waiting, coalesce(extract(epoch from clock_timestamp() - min(created_at)) * 1000, 0)::float8 as "oldestMs"
      from conversion where program_id = $1 and screened_at is null`;
    const { rows } = await database.query<Lag>({ name: 'lag', text, values: [programId] });
    return rows[0] ?? { waiting: 0, oldestMs: 0 };
  };
  const untilScreened = () => until('every conversion is screened', readLag, ({ waiting }) => waiting === 0);

  // Also warms the API up.
  const alone = await send(api, CASES['no flags'], sales);
  await database.query({ name: 'analyze', text: 'analyze', values: [] });
  const worker = started(
    await startServer({
      name: 'worker',
      program: 'bin/worker.ts',
      env: { ...env, WORKER_ROLES: 'relay,reviews' },
      portSetting: 'WORKER_HEALTH_PORT',
      readyPath: '/health/live',
      pinned: false,
    }),
  );
  await untilScreened();

  /** Sends sales, and reads how far the screening is behind until they are sent. */
  const sendAndWatch = async (affiliates: number) => {
    const most: Lag = { waiting: 0, oldestMs: 0 };
    let isSending = true;
    const sending = send(api, affiliates, sales).finally(() => {
      isSending = false;
    });
    for (; isSending; await pause(POLL_MS, 'polling is work of the database, too')) {
      const { waiting, oldestMs } = await readLag();
      most.waiting = Math.max(most.waiting, waiting);
      most.oldestMs = Math.max(most.oldestMs, oldestMs);
    }
    return { ...(await sending), most };
  };

  for (const [name, affiliates] of Object.entries(CASES)) {
    const cpuBefore = await worker.cpuMicros();
    const { requests, seconds, perSecond, most } = await sendAndWatch(affiliates);
    const receivedAt = performance.now();
    await untilScreened();
    const behindMs = performance.now() - receivedAt;
    const ours = requests / (seconds + behindMs / 1_000);
    report({
      name: 'P24',
      what: `conversions screened while sales come in, against the sales, ${name}`,
      unit: 'conversions/s',
      floor: 0.9,
      goal: 0.95,
      ours,
      anchor: perSecond,
      ratio: ours / perSecond,
      samples: [],
      more: {
        'sales/s without screening': alone.perSecond,
        'most waiting': most.waiting,
        'oldest waiting ms': most.oldestMs,
        'behind at the end ms': behindMs,
        'worker CPU µs': ((await worker.cpuMicros()) - cpuBefore) / requests,
      },
    });
  }
});
