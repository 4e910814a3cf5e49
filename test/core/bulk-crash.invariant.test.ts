import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { makeManualRun } from '../api/payout-runs/by-hand.ts';
import { send } from '../chaos/support/client.ts';
import { operator } from '../chaos/support/settled.ts';
import { openTestCluster } from '../chaos/support/test-cluster.ts';
import { useForFile } from '../support/use-for-file.ts';

/** More than one page. */
const PAYOUTS = 101;

const cluster = useForFile(() => openTestCluster({ env: { RAIL_BANK_TRANSFER: 'manual' } }));

it('an API that is killed while it marks payouts as paid leaves the rest to the same request, and to no other', async () => {
  const { act, read, statuses, runId, payoutIds, key } = await makeManualRun(cluster, PAYOUTS);
  expect((await act('process')).data.done).toBe(PAYOUTS);
  const { digest } = await read();
  const order = { path: `/payout-runs/${runId}/complete`, key, idempotencyKey: 'paid' };
  const body = { digest, items: PAYOUTS, total: { usd: 2_000 * PAYOUTS } };
  const paid = async () => (await statuses()).filter((status) => status === 'completed').length;

  let api = await cluster.startApi({ faults: 'bulk:after-page' });
  expect(await send(api.url, { ...order, body })).toMatchObject({ kind: 'interrupted' });
  await api.ended();
  const before = await paid();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(PAYOUTS);

  api = await cluster.startApi();
  const answer = async (more: object) => {
    const outcome = await send(api.url, { ...order, body, timeoutMs: 60_000, ...more });
    if (outcome.kind !== 'response') throw new Error(`no response: ${outcome.code}`);
    return JSON.parse(outcome.body);
  };
  expect((await answer({ body: { payoutIds } })).error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await paid()).toBe(before);
  const { data } = await answer({});
  expect([data.done, data.unchanged, data.refused, data.remaining]).toEqual([PAYOUTS - before, before, 0, 0]);
  expect(await paid()).toBe(PAYOUTS);
  expect((await answer({ idempotencyKey: 'again' })).data).toMatchObject({ done: 0, unchanged: PAYOUTS });
  expect(await verifyLedger(operator(cluster.runtime))).toEqual([]);
});
