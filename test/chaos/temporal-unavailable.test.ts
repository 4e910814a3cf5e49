import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { createDispatch } from '../../src/relay/dispatch.ts';
import { routeOf } from '../../src/relay/routing.ts';
import { openTemporal } from '../../src/relay/temporal-client.ts';
import { unique } from '../support/factories.ts';
import type { AppProcess } from '../support/processes.ts';
import { retry } from './support/client.ts';
import { openProxy, type Proxy as TcpProxy } from './support/proxy.ts';
import { untilSettled } from './support/settled.ts';
import { openTestCluster, type TestCluster } from './support/test-cluster.ts';

/** R5: Temporal is unavailable or slow. Only workflows wait. */
const UNAVAILABLE_MS = 6_000;
/** The deadline of 2 s, plus what a busy machine takes. */
const CALL_MS = 2_600;

let cluster: TestCluster;
let proxy: TcpProxy;
let api: AppProcess;
let worker: AppProcess;
beforeAll(async () => {
  proxy = await openProxy(process.env['TEST_TEMPORAL_ADDRESS'] ?? '');
  cluster = await openTestCluster({ env: { TEMPORAL_ADDRESS: proxy.address } });
  [api, worker] = await Promise.all([cluster.startApi(), cluster.startWorker()]);
});
afterAll(async () => {
  await cluster?.close();
  await proxy?.close();
});

/** Creates a payout every second; returns the response times in milliseconds. */
const payFor = async (durationMs: number): Promise<number[]> => {
  const times: number[] = [];
  for (const end = Date.now() + durationMs; Date.now() < end; ) {
    const { tries } = await retry(cluster.responses, { urls: [api.url], key: cluster.key, body: await cluster.payable() });
    expect(tries.map((each) => each.kind === 'response' && each.status)).toEqual([201]);
    times.push(tries[0]?.ms ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return times;
};

/** Milliseconds until starting a workflow fails. */
const failingCall = async (): Promise<number> => {
  const { clients, close } = openTemporal({ address: proxy.address, namespaces: DEFAULT_NAMESPACES, tls: false });
  const id = cluster.runtime.ids.next();
  const payload = {
    payoutId: id,
    merchantId: id,
    programId: id,
    affiliateId: id,
    affiliateCode: 'ada',
    programName: 'Program',
    amountMinor: '1',
    currency: 'usd',
    rail: 'sandbox' as const,
    method: 'paypal' as const,
    createdAt: new Date().toISOString(),
  };
  const since = Date.now();
  const workflow = routeOf({ seq: '1', topic: 'payout.start', subjectId: id, suffix: '', payload });
  await expect(createDispatch(clients, `unused-${unique()}-`)(workflow)).rejects.toThrow();
  const took = Date.now() - since;
  await close();
  return took;
};

it('while Temporal is unavailable, payouts are accepted and their workflows start later', async () => {
  await proxy.close();
  const [times, call] = await Promise.all([payFor(UNAVAILABLE_MS), failingCall()]);
  expect(Math.max(...times)).toBeLessThan(4_000);
  expect(call).toBeLessThan(CALL_MS);
  const pending = await cluster.call('GET', '/payouts', { key: cluster.key, query: { status: 'pending' } });
  expect(pending.data).toHaveLength(times.length);
  await proxy.open();
  await untilSettled(cluster.runtime);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
});

it('while Temporal responds after five seconds, no call waits longer than two', async () => {
  proxy.delay(5_000);
  const [times, call] = await Promise.all([payFor(UNAVAILABLE_MS), failingCall()]);
  expect(Math.max(...times)).toBeLessThan(4_000);
  expect(call).toBeLessThan(CALL_MS);
  proxy.delay(0);
  await untilSettled(cluster.runtime);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
});

it('all invariants hold', async () => {
  expect(await cluster.audit()).toMatchObject({ ok: true, findings: [] });
});
