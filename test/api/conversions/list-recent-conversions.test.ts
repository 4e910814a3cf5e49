import { useTestApi } from '../../support/api.ts';
import { makePayable, sendSale } from '../../support/factories.ts';

const api = useTestApi();

it('200: an array of the most recent conversions, up to the limit', async () => {
  const { key, program, code, conversionId } = await makePayable(api);
  const newest = await sendSale(api, program, { amount: 500, referralCode: code });
  const response = await api.call('GET', '/conversions/recent', { key });
  expect(response.data.map((conversion: { id: string }) => conversion.id)).toEqual([newest.data.conversionId, conversionId]);
  expect(response.meta).toEqual({ requestId: expect.any(String) });
  expect((await api.call('GET', '/conversions/recent', { key, query: { limit: '1' } })).data).toHaveLength(1);
});

it('400 for a limit above 20', async () => {
  const { key } = await makePayable(api);
  expect((await api.call('GET', '/conversions/recent', { key, query: { limit: '21' } })).status).toBe(400);
});
