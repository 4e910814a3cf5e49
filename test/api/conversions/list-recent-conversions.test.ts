import { useTestApi } from '../../support/api.ts';
import { makePayable, sendSale } from '../../support/factories.ts';

const api = useTestApi();

it('200: a plain array of the newest, as many as asked for', async () => {
  const { key, program, code, conversionId } = await makePayable(api);
  const newest = await sendSale(api, program, { amount: 500, referralCode: code });
  const answer = await api.call('GET', '/conversions/recent', { key });
  expect(answer.data.map((conversion: { id: string }) => conversion.id)).toEqual([newest.data.conversionId, conversionId]);
  expect(answer.meta).toEqual({ requestId: expect.any(String) });
  expect((await api.call('GET', '/conversions/recent', { key, query: { limit: '1' } })).data).toHaveLength(1);
});

it('400 beyond 20', async () => {
  const { key } = await makePayable(api);
  expect((await api.call('GET', '/conversions/recent', { key, query: { limit: '21' } })).status).toBe(400);
});
