import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeProgram, sendSale } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: totals by status and currency; those of the main currency at the top level', async () => {
  const { key, act, programId } = await makePayout(api);
  const euros = await makeProgram(api, key, { currency: 'EUR' });
  const { affiliateId, code } = await makeAffiliate(api.runtime, euros.programId);
  await sendSale(api, euros, { amount: 50_000, currency: 'eur', referralCode: code });
  await act('process');
  await act('complete');
  await api.call('POST', '/payouts', { key, body: { affiliateId, programId: euros.programId } });
  const response = await api.call('GET', '/payouts/stats', { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    currency: 'eur',
    totalPaid: 0,
    totalPending: 10_000,
    totalFailed: 0,
    count: 1,
    byCurrency: [
      { currency: 'eur', totalPaid: 0, totalPending: 10_000, totalFailed: 0, count: 1 },
      { currency: 'usd', totalPaid: 2000, totalPending: 0, totalFailed: 0, count: 1 },
    ],
  });
  const one = await api.call('GET', '/payouts/stats', { key, query: { programId, period: '7d' } });
  expect(one.data).toMatchObject({ currency: 'usd', totalPaid: 2000, count: 1 });
});

it('400 for an unknown period', async () => {
  const { key } = await makePayout(api);
  expect((await api.call('GET', '/payouts/stats', { key, query: { period: '1y' } })).status).toBe(400);
});

test('B8: the main currency is that of the most recent sale, not of the newest payout', async () => {
  const { key } = await makePayout(api);
  const euros = await makeProgram(api, key, { currency: 'eur' });
  await sendSale(api, euros, { currency: 'eur' });
  const stats = async (query = {}) => (await api.call('GET', '/payouts/stats', { key, query })).data;
  expect(await stats()).toMatchObject({
    currency: 'eur',
    count: 0,
    totalPending: 0,
    byCurrency: [{ currency: 'usd', count: 1 }],
  });
  expect(await stats({ programId: euros.programId })).toMatchObject({ currency: 'eur', count: 0, byCurrency: [] });
});
