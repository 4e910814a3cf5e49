import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeProgram, sendSale } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: sums by state, never across currencies, the main one flat', async () => {
  const { key, act, programId } = await makePayout(api);
  const euros = await makeProgram(api, key, { currency: 'EUR' });
  const { affiliateId, code } = await makeAffiliate(api.runtime, euros.programId);
  await sendSale(api, euros, { amount: 50_000, currency: 'eur', referralCode: code });
  await act('process');
  await act('complete');
  await api.call('POST', '/payouts', { key, body: { affiliateId, programId: euros.programId } });
  const answer = await api.call('GET', '/payouts/stats', { key });
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({
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
