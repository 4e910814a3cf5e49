import { useTestApi } from '../../support/api.ts';
import { makeDifference } from '../../support/differences.ts';
import { makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

it('lists comparisons of the merchant only, by rail', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  await makeDifference(api, { merchantId });
  await makeDifference(api, { merchantId: (await makeMerchant(api.runtime)).merchantId });
  const runs = async (query: Record<string, string> = {}) => (await api.call('GET', '/reconciliation/runs', { key, query })).data;
  expect(await runs()).toMatchObject([{ rail: 'sandbox', status: 'completed', problem: null, totals: [] }]);
  expect(await runs({ rail: 'manual' })).toEqual([]);
});
