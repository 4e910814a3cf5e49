import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { CALL_DEADLINE_MS, openTemporal } from '../../src/temporal/client.ts';
import { createDispatch } from '../../src/temporal/relay/dispatch.ts';
import { routeOf } from '../../src/temporal/relay/routing.ts';
import { unique } from '../support/factories.ts';
import type { AppProcess } from '../support/processes.ts';
import { pause } from '../support/until.ts';
import { retry } from './support/client.ts';
import { openProxy, type Proxy as TcpProxy } from './support/proxy.ts';
import { untilSettled } from './support/settled.ts';
import { openTestCluster, type TestCluster } from './support/test-cluster.ts';

/** R5: Temporal is unavailable or slow. Only workflows wait. */
const PAYOUTS = 5;

/** Status code of gRPC. */
const DEADLINE_EXCEEDED = 4;

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

/** Creates payouts, each of which is accepted at the first try. */
const payAll = async (): Promise<void> => {
  for (let n = 0; n < PAYOUTS; n++) {
    const { tries } = await retry(cluster.responses, { urls: [api.url], key: cluster.key, body: await cluster.payable() });
    expect(tries.map((each) => each.kind === 'response' && each.status)).toEqual([201]);
    await pause(1_000, 'the relay tries to start its workflow meanwhile');
  }
};

/** Why a workflow cannot be started. */
const failingCall = async (): Promise<unknown> => {
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
  const workflow = routeOf({ seq: '1', topic: 'payout.start', subjectId: id, suffix: '', payload });
  const starting = createDispatch(clients, `unused-${unique()}-`)(workflow);
  return starting
    .then(
      () => null,
      (error: unknown) => error,
    )
    .finally(close);
};

it('while Temporal is unavailable, payouts are accepted and their workflows start later', async () => {
  await proxy.close();
  const [error] = await Promise.all([failingCall(), payAll()]);
  expect(error).toMatchObject({ cause: { code: expect.any(Number) } });
  const pending = await cluster.call('GET', '/payouts', { key: cluster.key, query: { status: 'pending' } });
  expect(pending.data).toHaveLength(PAYOUTS);
  await proxy.open();
  await untilSettled(cluster.runtime);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
});

it('while Temporal responds after five seconds, calls end with their deadline of two', async () => {
  proxy.delay(5_000);
  const [error] = await Promise.all([failingCall(), payAll()]);
  expect(error).toMatchObject({ cause: { code: DEADLINE_EXCEEDED } });
  expect(CALL_DEADLINE_MS).toBe(2_000);
  proxy.delay(0);
  await untilSettled(cluster.runtime);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
});

it('all invariants hold', async () => {
  expect(await cluster.audit()).toMatchObject({ ok: true, findings: [] });
});
