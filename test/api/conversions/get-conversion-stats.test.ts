import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makePayable, makeProgram, sendRefund, sendSale } from '../../support/factories.ts';

const api = useTestApi();

it('200: counts and sums after refunds', async () => {
  const { key, program, programId, saleId } = await makePayable(api);
  await sendRefund(api, program, { saleId, amount: 5_000 });
  const response = await api.call('GET', '/conversions/stats', { key, query: { programId, period: '30d' } });
  expect(response.status).toBe(200);
  const sums = { total: 1, pending: 0, approved: 0, held: 0, totalRevenue: 5000, totalCommissions: 1000 };
  expect(response.data).toEqual({ ...sums, leads: 0, customers: 1, currency: 'usd', byCurrency: [{ currency: 'usd', ...sums }] });
});

it('200: zeros and a null currency before the first sale', async () => {
  const { key } = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/conversions/stats', { key });
  expect(response.data).toEqual({
    total: 0,
    pending: 0,
    approved: 0,
    held: 0,
    totalRevenue: 0,
    totalCommissions: 0,
    leads: 0,
    customers: 0,
    currency: null,
    byCurrency: [],
  });
});

it('400 for an unknown period', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect((await api.call('GET', '/conversions/stats', { key, query: { period: '365d' } })).status).toBe(400);
});

test('B8: the main currency is that of the most recent sale by occurrence, attributed or not', async () => {
  const { key, program } = await makePayable(api);
  const euros = await makeProgram(api, key, { currency: 'eur' });
  const main = async () => (await api.call('GET', '/conversions/stats', { key })).data;
  await sendSale(api, euros, { currency: 'eur', occurredAt: '2020-01-01T00:00:00Z' });
  expect(await main()).toMatchObject({ currency: 'usd', total: 1 });
  await sendSale(api, euros, { currency: 'eur' });
  expect(await main()).toMatchObject({ currency: 'eur', total: 0, totalRevenue: 0, byCurrency: [{ currency: 'usd', total: 1 }] });
  await sendSale(api, program, {});
  expect(await main()).toMatchObject({ currency: 'usd', total: 1 });
});
