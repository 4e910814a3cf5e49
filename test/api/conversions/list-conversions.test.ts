import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makePayable, sendRefund, sendSale } from '../../support/factories.ts';

const api = useTestApi();

it('200: attributed sales, newest first', async () => {
  const { key, program, programId, affiliateId, code, saleId, conversionId } = await makePayable(api);
  const second = await sendSale(api, program, { amount: 999, referralCode: code });
  await sendSale(api, program, { amount: 5_000 });
  const response = await api.call('GET', '/conversions', { key });
  expect(response.status).toBe(200);
  expect(response.meta).toMatchObject({ total: 2 });
  expect(response.data[0]).toMatchObject({ id: second.data.conversionId, amount: 999, commission: 200 });
  expect(response.data[1]).toEqual({
    id: conversionId,
    affiliateId,
    programId,
    amount: 10_000,
    refundedAmount: 0,
    commission: 2000,
    currency: 'usd',
    status: 'approved',
    method: 'metadata',
    stripeSessionId: null,
    externalSaleId: saleId,
    customerId: expect.any(String),
    subscriptionId: null,
    metadata: null,
    disputedAt: null,
    hold: null,
    createdAt: expect.any(String),
  });
});

it('filters by status, affiliate and date, by either name of the date parameters', async () => {
  const { key, program, saleId, affiliateId, conversionId } = await makePayable(api);
  await sendRefund(api, program, { saleId, amount: 1_000 });
  const list = (query: Record<string, string>) => api.call('GET', '/conversions', { key, query });
  expect((await list({ status: 'partially_refunded' })).data).toMatchObject([
    { id: conversionId, commission: 1800, refundedAmount: 1000 },
  ]);
  expect((await list({ status: 'approved' })).meta.total).toBe(0);
  expect((await list({ affiliateId })).meta.total).toBe(1);
  expect((await list({ from: '2020-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' })).meta.total).toBe(1);
  expect((await list({ startDate: '2999-01-01T00:00:00Z' })).meta.total).toBe(0);
});

const atOffset = (time: string, offset: string, hours: number): string =>
  new Date(Date.parse(time) + hours * 3_600_000).toISOString().replace('Z', offset);

it('a period includes its start and not its end, in any time zone', async () => {
  const { key } = await makePayable(api);
  const total = async (query: Record<string, string>) => (await api.call('GET', '/conversions', { key, query })).meta.total;
  const [{ createdAt }] = (await api.call('GET', '/conversions', { key })).data;
  // Berlin and Lord Howe, before and after their clock changes.
  for (const [offset, hours] of [
    ['Z', 0],
    ['+01:00', 1],
    ['+02:00', 2],
    ['+10:30', 10.5],
    ['+11:00', 11],
  ] as const) {
    const at = atOffset(createdAt, offset, hours);
    const after = atOffset(new Date(Date.parse(createdAt) + 1).toISOString(), offset, hours);
    expect([offset, await total({ startDate: at }), await total({ startDate: after })]).toEqual([offset, 1, 0]);
    expect([offset, await total({ endDate: at }), await total({ endDate: after })]).toEqual([offset, 0, 1]);
    expect([offset, await total({ from: at, to: after }), await total({ from: at, to: at })]).toEqual([offset, 1, 0]);
  }
});

it('conversions of other merchants are not listed', async () => {
  const other = await makePayable(api);
  const { key } = await makeMerchant(api.runtime);
  const queries: Record<string, string>[] = [{}, { programId: other.programId }, { affiliateId: other.affiliateId }];
  for (const query of queries) {
    expect((await api.call('GET', '/conversions', { key, query })).data).toEqual([]);
  }
});

it.each<Record<string, string>>([{ status: 'paid' }, { limit: '1000' }, { from: '2026-13-01T00:00:00Z' }])(
  '400 for %j',
  async (query) => {
    const { key } = await makeMerchant(api.runtime);
    expect((await api.call('GET', '/conversions', { key, query })).status).toBe(400);
  },
);

it('finds a conversion by the id of its sale, with what came with the sale', async () => {
  const { key, program, code, saleId, conversionId } = await makePayable(api);
  const customer = { id: 'customer-7', email: 'buyer@example.org' };
  await sendSale(api, program, {
    saleId: 'order-7',
    customer,
    referralCode: code,
    subscriptionId: 'sub-7',
    metadata: { plan: 'pro' },
  });
  const find = (externalSaleId: string) => api.call('GET', '/conversions', { key, query: { externalSaleId } });
  expect((await find(saleId)).data).toMatchObject([
    { id: conversionId, externalSaleId: saleId, subscriptionId: null, metadata: null },
  ]);
  const found = await find('order-7');
  expect(found.data).toMatchObject([{ customerId: 'customer-7', subscriptionId: 'sub-7', metadata: { plan: 'pro' } }]);
  expect(found.meta.total).toBe(1);
  expect((await find('nothing')).data).toEqual([]);
});
