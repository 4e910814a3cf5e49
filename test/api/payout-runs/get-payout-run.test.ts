import { useOwnApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makePayees } from './support.ts';

const api = useOwnApi();

it('shows the rate, fees, and when the run is expected to end', async () => {
  const { draft, confirm, read, members, programId, key } = await makePayees(api, 3);
  const run = (await draft()).data;
  await confirm(run);
  const [paid, open] = members;
  for (const member of [paid, open]) {
    const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId: member?.affiliateId, programId } });
    await rowsOf(api, 'update payout set payout_run_id = ? where id = ?', [run.id, data.id]);
    await rowsOf(
      api,
      `update payout_run_item set result = 'payout', payout_id = ?, paid_amount = 1900 where run_id = ? and affiliate_id = ?`,
      [data.id, run.id, member?.affiliateId],
    );
    if (member !== paid) continue;
    await api.call('POST', `/payouts/${data.id}/process`, { key });
    await api.call('POST', `/payouts/${data.id}/complete`, { key });
    await rowsOf(api, 'update payout set fee = 25 where id = ?', [data.id]);
  }
  await rowsOf(api, `update payout_run set confirmed_at = now() - interval '2 minutes' where id = ?`, [run.id]);
  await rowsOf(
    api,
    `update payout set fees = '[{"currency":"usd","amount":25,"returned":0},{"currency":"eur","amount":9,"returned":4}]'
      where payout_run_id = ? and fee = 25`,
    [run.id],
  );
  const { status, totals, progress, fees } = await read(run.id);
  expect(fees).toEqual([
    { currency: 'eur', amount: 9, returned: 4 },
    { currency: 'usd', amount: 25, returned: 0 },
  ]);
  expect(status).toBe('running');
  expect(totals).toEqual([
    { currency: 'usd', rail: 'manual', result: 'completed', reason: null, items: 1, amount: 1_900, fee: 25 },
    { currency: 'usd', rail: 'manual', result: 'pending', reason: null, items: 1, amount: 1_900, fee: 0 },
    { currency: 'usd', rail: 'manual', result: 'planned', reason: null, items: 1, amount: 2_000, fee: 0 },
  ]);
  expect(progress).toEqual({ waiting: 1, open: 1, final: 1, perMinute: 0.5, expectedEndAt: expect.any(String) });
  expect(Date.parse(progress.expectedEndAt)).toBeGreaterThan(Date.now() + 200_000);
});
