import pMap from 'p-map';
import { QUEUES } from '../../src/contracts/workflows/queues.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { createReconciler } from '../../src/temporal/relay/reconciler.ts';
import { useTestSystem } from '../support/system.ts';

/** 100,000 for the figure in docs/scaling.md. */
const DELIVERIES = Number(process.env['TEST_OPEN_DELIVERIES'] ?? 500);
/** Pause of a worker, from the end of a round to the next one. */
const PAUSE_S = 20;
/** The longest round. */
const ROUND_S = 15;
const STARTS = 48;

const system = useTestSystem({ work: false, reconcile: { everyMs: 3_600_000, graceMs: 0 } });

const context = () => system.runtime.context({ kind: 'system', name: 'test' });

/** Retries that wait for their time, each with its workflow. */
const openDeliveries = async (): Promise<string[]> => {
  const made = await rows(
    context().em,
    sql<{ id: string }>`insert into webhook_delivery
        (id, event_id, endpoint_id, merchant_id, status, slot, in_lane, priority, attempts, auto_attempts, next_attempt_at, created_at, updated_at)
      select uuidv7(), uuidv7(), uuidv7(), uuidv7(), 'pending', 0, false, 0, 1, 1, now() + interval '1 day', now(), now()
      from generate_series(1, ${DELIVERIES}) returning id`,
  );
  const ids = made.map(({ id }) => id);
  const { workflow } = system.temporal.clients.background;
  const taskQueue = system.runtime.config.TEMPORAL_QUEUE_PREFIX + QUEUES.workflows;
  await pMap(
    ids,
    (id) => workflow.start('webhookDelivery', { workflowId: `webhook/${id}`, taskQueue, args: [{ deliveryId: id, suffix: '' }] }),
    { concurrency: STARTS },
  );
  return ids;
};

test('TE8: all open deliveries are looked through, none is started twice, and one that is terminated is found by the next round', async () => {
  const ids = await openDeliveries();
  const { clients } = system.temporal;
  const { TEMPORAL_QUEUE_PREFIX: queuePrefix } = system.runtime.config;
  const sources = system.runtime.unfinished;
  const reconciler = createReconciler({ clients, sources, context, queuePrefix, graceMs: 0 });
  let rounds = 0;
  let restarted = 0;
  // Grows until everything was looked through.
  let cycleMs: number;
  do {
    cycleMs = reconciler.cycleMs();
    restarted += await reconciler.round();
    rounds++;
  } while (reconciler.cycleMs() >= cycleMs);
  expect(restarted).toBe(0);

  await clients.background.workflow.getHandle(`webhook/${ids.at(-1)}`).terminate('by an operator');
  let found = 0;
  for (let tries = 0; found === 0 && tries < 20; tries++) found = await reconciler.round();
  expect(found).toBe(1);
  const cycleSeconds = Math.round(cycleMs / 1_000) + (rounds - 1) * PAUSE_S;
  process.stdout.write(`${JSON.stringify({ deliveries: DELIVERIES, rounds, cycleSeconds })}\n`);
  // What the alert calls slow.
  expect(rounds * (ROUND_S + PAUSE_S)).toBeLessThan(600);
});
