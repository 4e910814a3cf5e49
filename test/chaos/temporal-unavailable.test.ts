import { createDispatch } from '../../src/relay/dispatch.ts';
import { routeOf } from '../../src/relay/routing.ts';
import { openTemporal } from '../../src/relay/temporal-client.ts';
import { unique } from '../support/factories.ts';
import type { Program } from '../support/processes.ts';
import { retry } from './support/client.ts';
import { openProxy, type Proxy as TcpProxy } from './support/proxy.ts';
import { audit, untilSettled } from './support/settled.ts';
import { openTestCluster, type TestCluster } from './support/test-cluster.ts';

/** R5: Temporal is away, or slow. The stories wait; nobody else does. */
const AWAY_MS = 6_000;
/** What a busy machine may add to a deadline of 2 s. */
const CALL_MS = 2_600;

let lane: TestCluster;
let proxy: TcpProxy;
let api: Program;
let worker: Program;
beforeAll(async () => {
  proxy = await openProxy(process.env['TEST_TEMPORAL_ADDRESS'] ?? '');
  lane = await openTestCluster({ env: { TEMPORAL_ADDRESS: proxy.address } });
  [api, worker] = await Promise.all([lane.startApi(), lane.startWorker()]);
}, 120_000);
afterAll(async () => {
  await lane?.close();
  await proxy?.close();
});

/** Asks for a payout every second; returns how long each answer took. */
const payFor = async (durationMs: number): Promise<number[]> => {
  const times: number[] = [];
  for (const end = Date.now() + durationMs; Date.now() < end; ) {
    const { tries } = await retry(lane.memory, { urls: [api.url], key: lane.key, body: await lane.payable() });
    expect(tries.map((each) => each.kind === 'answer' && each.status)).toEqual([201]);
    times.push(tries[0]?.ms ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return times;
};

/** How long a start takes that cannot succeed. */
const failingCall = async (): Promise<number> => {
  const { client, close } = openTemporal({ address: proxy.address, namespace: 'default', tls: false });
  const id = lane.runtime.ids.next();
  const payload = {
    payoutId: id,
    merchantId: id,
    programId: id,
    affiliateId: id,
    amountMinor: '1',
    currency: 'usd',
    rail: 'sandbox' as const,
  };
  const since = Date.now();
  const story = routeOf({ seq: '1', topic: 'payout.start', subjectId: id, suffix: '', payload });
  await expect(createDispatch(client, `nobody-${unique()}-`)(story)).rejects.toThrow();
  const took = Date.now() - since;
  await close();
  return took;
};

it('away: payouts are taken as ever, and their stories begin later', async () => {
  await proxy.close();
  const [times, call] = await Promise.all([payFor(AWAY_MS), failingCall()]);
  expect(Math.max(...times)).toBeLessThan(2_000);
  expect(call).toBeLessThan(CALL_MS);
  const pending = await lane.call('GET', '/payouts', { key: lane.key, query: { status: 'pending' } });
  expect(pending.data).toHaveLength(times.length);
  await proxy.open();
  await untilSettled(lane.runtime);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
}, 120_000);

it('slow by five seconds: no call of ours waits for more than two', async () => {
  proxy.delay(5_000);
  const [times, call] = await Promise.all([payFor(AWAY_MS), failingCall()]);
  expect(Math.max(...times)).toBeLessThan(2_000);
  expect(call).toBeLessThan(CALL_MS);
  proxy.delay(0);
  await untilSettled(lane.runtime, 90_000);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
}, 150_000);

it('all invariants hold', async () => {
  const witness = { receiver: lane.receiver, acknowledged: lane.memory.acknowledged(), repeats: lane.memory.repeats() };
  expect(await audit(lane, witness)).toMatchObject({ ok: true, findings: [] });
});
