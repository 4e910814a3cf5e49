import { untilRunIsCompleted } from '../support/payout-runs.ts';
import { pause, until } from '../support/until.ts';
import { useTestCluster } from './support/test-cluster.ts';

const PAYEES = Number(process.env['TEST_RUN_PAYEES'] ?? 300);
/** That the provider has accepted when the run is paused. */
const SENT = Math.floor(PAYEES / 10);
/** As the page about payout runs promises. */
const STOPS_WITHIN_MS = 10_000;

const cluster = useTestCluster();

it(`a run of ${PAYEES} that is paused stops new sends within 10 seconds, and goes on when it is resumed`, async () => {
  await cluster.payables(PAYEES);
  const api = await cluster.startApi();
  await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  const { key, program } = cluster;
  const post = async (path: string, body: unknown = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${api.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return JSON.parse(text).data;
  };
  const { id, total, items } = await post('/payout-runs', { programId: program.programId });
  expect(items).toBe(PAYEES);
  await post(`/payout-runs/${id}/confirm`, { total, items });
  await until(`the provider has ${SENT} transfers`, cluster.sandbox.transfers, ({ length }) => length >= SENT);

  expect(await post(`/payout-runs/${id}/pause`)).toMatchObject({ status: 'paused' });
  await pause(STOPS_WITHIN_MS, 'what had begun may still be sent');
  const accepted = await cluster.sandbox.transfers();
  await pause(5_000, 'a send that was not stopped would come');
  expect(await cluster.sandbox.transfers()).toHaveLength(accepted.length);
  expect(accepted.length).toBeLessThan(PAYEES);
  expect(await post(`/payout-runs/${id}/pause`)).toMatchObject({ status: 'paused' });

  await post(`/payout-runs/${id}/resume`);
  await untilRunIsCompleted(cluster, id);
  const transfers = await cluster.sandbox.transfers();
  expect(transfers).toHaveLength(PAYEES);
  expect(transfers.filter(({ executedCount }) => executedCount !== 1)).toEqual([]);
});
