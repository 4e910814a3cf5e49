import type { LaneReport } from '../../../src/contracts/webhooks.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/deliveries/schedule.rules.ts';
import { LaneTakenOver } from '../../../src/domains/webhooks/index.ts';
import type { LaneDrainer } from '../../../src/domains/webhooks/lanes/lane-drainer.ts';
import { findLaneWork, listWaitingDeliveries } from '../../../src/domains/webhooks/lanes/lanes.queries.ts';
import { laneOf, slotOf, slotsOf } from '../../../src/domains/webhooks/lanes/slots.ts';
import { changeLaneCount } from '../../../src/domains/webhooks/use-cases/change-lane-count.ts';
import { recordLaneAttempts } from '../../../src/domains/webhooks/use-cases/record-lane-attempts.ts';
import { takeOverLane } from '../../../src/domains/webhooks/use-cases/take-over-lane.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { FIRST_ID } from '../../../src/platform/ids.ts';
import { unique } from '../../support/factories.ts';
import { useReceiver } from '../../support/receiver/receiver.ts';
import { pause, until } from '../../support/until.ts';
import { type TestMerchant, useWebhookBench, waitingInLane } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();
const system = () => bench.runtime.context({ kind: 'system', name: 'test' });
const LANE_COUNTS = [8, 3, 64] as const;

afterEach(() => changeLaneCount(system(), { lanes: 8 }));

/** Endpoints of one merchant: each event goes to all of them. */
const makeEndpoints = async (merchant: TestMerchant, count: number, behaviour: string): Promise<string[]> => {
  const path = `/${behaviour}/t${unique()}`;
  const paths = Array.from({ length: count }, (_, n) => `${path}-${n}-`);
  for (const each of paths) await merchant.endpoint({ url: receiver.url(each) });
  return paths;
};

const pendingOf = async (merchant: TestMerchant): Promise<number> =>
  (
    await rows(
      system().em,
      sql`select 1 from webhook_delivery where merchant_id = ${merchant.id}::uuid and status <> 'succeeded'`,
    )
  ).length;

test('the slot of an endpoint is that of the database, and each slot belongs to one lane', async () => {
  const merchant = await bench.merchant();
  await makeEndpoints(merchant, 15, 'status/200');
  const stored = await rows(system().em, sql<{ id: string; slot: number }>`select id, slot from webhook_endpoint`);
  expect(stored.map(({ id }) => slotOf(id))).toEqual(stored.map(({ slot }) => slot));
  for (const lanes of [1, ...LANE_COUNTS]) {
    const served = Array.from({ length: lanes }, (_, lane) => slotsOf(lane, lanes)).flat();
    expect(served.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, slot) => slot));
  }
});

test.each([1, ...LANE_COUNTS])('the lanes, %i of them, find all waiting deliveries, page by page', async (lanes) => {
  const merchant = await bench.merchant();
  await makeEndpoints(merchant, 15, 'status/200');
  const ids = await merchant.emit();
  expect(ids).toHaveLength(15);
  const found: string[] = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    for (let after: string | null = FIRST_ID; after !== null; ) {
      const limits = new Map<string, number>();
      const read = { slots: slotsOf(lane, lanes), after, maxEndpoints: 2, limits, defaultLimit: 50, maxPriority: 5, exclude: [] };
      const { endpoints, next }: Awaited<ReturnType<typeof listWaitingDeliveries>> = await listWaitingDeliveries(system(), read);
      for (const endpoint of endpoints) {
        expect(laneOf(slotOf(endpoint.id), lanes)).toBe(lane);
        found.push(...endpoint.deliveries.map(({ id }) => id));
      }
      after = next;
    }
  }
  expect(ids.filter((id) => !found.includes(id))).toEqual([]);
  expect(new Set(found).size).toBe(found.length);
  const { waiting } = await findLaneWork(system());
  expect(new Set(waiting).size).toBe(waiting.length);
  await bench.drainUntil(async () => (await pendingOf(merchant)) === 0);
});

/** What the workflow of a lane does, in the process whose turn it is. */
const runLane = async (lane: number, processes: readonly LaneDrainer[], stopping: AbortSignal): Promise<void> => {
  for (let turn = lane; !stopping.aborted; turn += 1) {
    const drainer = processes[turn % processes.length];
    const report = await drainer?.drain(lane, { stopping, onProgress: () => {} }).catch((error: unknown): LaneReport => {
      if (!(error instanceof LaneTakenOver)) throw error;
      return { succeeded: 0, failed: 0 };
    });
    // It would be started again when there are more lanes.
    if (report?.isSurplus) await pause(500, 'a surplus lane rests');
  }
};

test('every event is delivered once while the number of lanes changes from 8 to 3 to 64 between two processes', async () => {
  const merchant = await bench.merchant();
  const paths = await makeEndpoints(merchant, 15, 'slow/40/200');
  const stopping = new AbortController();
  const processes = [bench.drainer(), bench.drainer()];
  const lanes = Array.from({ length: 64 }, (_, lane) => runLane(lane, processes, stopping.signal));
  const ended = Promise.allSettled(lanes);
  let emitted = 0;
  try {
    for (const count of LANE_COUNTS) {
      const changed = changeLaneCount(system(), { lanes: count });
      for (let n = 0; n < 4; n += 1) emitted += (await merchant.emit()).length;
      await changed;
      for (let n = 0; n < 4; n += 1) emitted += (await merchant.emit()).length;
    }
    await until(
      'no delivery is pending',
      () => pendingOf(merchant),
      (count) => count === 0,
    );
  } finally {
    stopping.abort();
    await ended;
  }
  await Promise.all(lanes);
  const requests = (await Promise.all(paths.map((path) => receiver.received(path)))).flat();
  const received = new Set(requests.map(({ path, headers }) => `${path} ${new Map(headers).get('webhook-id')}`));
  expect(received.size).toBe(emitted);
  expect(requests).toHaveLength(emitted);
});

test('what a lane had in flight when it became surplus and its process died is sent again by the lane that serves its slot', async () => {
  const merchant = await bench.merchant();
  await makeEndpoints(merchant, 15, 'status/200');
  const ids = await merchant.emit();
  const [delivery] = await rows(
    system().em,
    sql<{ id: string; slot: number }>`select id, slot from webhook_delivery where id = any(${ids}::uuid[]) and slot % 8 > 2`,
  );
  if (!delivery) throw new Error('15 endpoints have more than three lanes');
  const former = laneOf(delivery.slot, 8);
  const { epoch } = await takeOverLane(system(), { lane: former });
  const start = await waitingInLane(system(), former, [delivery.id]);
  const { started } = await recordLaneAttempts(system(), {
    lane: former,
    epoch,
    finished: [],
    start,
    schedule: STANDARD_SCHEDULE,
  });
  expect(started).toHaveLength(1);
  await changeLaneCount(system(), { lanes: 3 });
  const late = { lane: former, epoch, finished: [], start, schedule: STANDARD_SCHEDULE };
  expect(await recordLaneAttempts(system(), late)).toEqual({ isOwner: false, started: [] });
  expect(await takeOverLane(system(), { lane: laneOf(former, 3) })).toMatchObject({ lanes: 3 });
  expect((await merchant.delivery(delivery.id)).attempts).toMatchObject([{ outcome: null }]);
  bench.clock.advance(61_000);
  // A lane that read the delivery before would leave it to its next drain.
  await takeOverLane(system(), { lane: laneOf(former, 3) });
  await bench.drainUntil(async () => (await pendingOf(merchant)) === 0);
  expect((await merchant.delivery(delivery.id)).attempts).toMatchObject([
    { outcome: 'unknown', errorCode: 'worker_lost' },
    { outcome: 'succeeded' },
  ]);
});
