import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makePayable, makeProgram, sendSale, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async () => {
  const made = await makePayable(api);
  const organicId = `sale-${unique()}`;
  const customer = { id: `c-${unique()}`, email: 'buyer@example.org' };
  await sendSale(api, made.program, { saleId: organicId, customer, occurredAt: '2026-01-10T00:00:00Z' });
  const list = (query: Record<string, string> = {}) => api.call('GET', '/sales', { key: made.key, query });
  const idsOf = async (query: Record<string, string>) =>
    (await list(query)).data.map((row: { externalSaleId: string }) => row.externalSaleId);
  return { ...made, organicId, customer, list, idsOf };
};

it('lists all sales, newest first, with the conversion or the reason why nobody was credited', async () => {
  const { list, organicId, customer, saleId, conversionId, programId } = await setUp();
  const { data, meta } = await list();
  expect(meta.total).toBe(2);
  expect(data).toEqual([
    {
      id: expect.any(String),
      programId,
      externalSaleId: organicId,
      amount: 10_000,
      refundedAmount: 0,
      unusable: [],
      currency: 'usd',
      customerId: customer.id,
      conversionId: null,
      reason: 'NO_MATCH',
      occurredAt: '2026-01-10T00:00:00.000Z',
      createdAt: expect.any(String),
    },
    expect.objectContaining({ externalSaleId: saleId, conversionId, reason: null }),
  ]);
});

it('filters by attribution, program, sale id and time', async () => {
  const { idsOf, key, organicId, saleId, programId } = await setUp();
  const other = await makeProgram(api, key);
  await sendSale(api, other, { saleId });
  expect(await idsOf({ attributed: 'true' })).toEqual([saleId]);
  expect(await idsOf({ attributed: 'false', programId })).toEqual([organicId]);
  expect(await idsOf({ programId: other.programId })).toEqual([saleId]);
  expect(await idsOf({ externalSaleId: organicId })).toEqual([organicId]);
  expect(await idsOf({ externalSaleId: saleId })).toEqual([saleId, saleId]);
  expect(await idsOf({ externalSaleId: saleId, programId })).toEqual([saleId]);
  expect(await idsOf({ programId: MISSING_ID })).toEqual([]);
  expect(await idsOf({ from: '2099-01-01T00:00:00Z' })).toEqual([]);
  expect(await idsOf({ to: '2099-01-01T00:00:00Z' })).toHaveLength(3);
});

it('a period includes its start and not its end', async () => {
  const { list, idsOf, saleId } = await setUp();
  const { createdAt } = (await list({ externalSaleId: saleId })).data[0];
  expect(await idsOf({ externalSaleId: saleId, startDate: createdAt })).toEqual([saleId]);
  expect(await idsOf({ externalSaleId: saleId, endDate: createdAt })).toEqual([]);
});

it('counts by program and attribution, also once a sale is attributed', async () => {
  const { key, list, affiliateId, program, programId } = await setUp();
  const saleId = `sale-${unique()}`;
  await sendSale(api, program, { saleId });
  const queries: Record<string, string>[] = [{}, { attributed: 'true' }, { attributed: 'false' }, { programId }];
  const totals = async () => Promise.all(queries.map(async (query) => (await list(query)).meta.total));
  expect(await totals()).toEqual([3, 1, 2, 3]);
  const other = await makeProgram(api, key);
  await sendSale(api, other, {});
  expect(await totals()).toEqual([4, 1, 3, 3]);
  const [{ id }] = (await list({ externalSaleId: saleId })).data;
  await execute(context().em, sql`update sale set occurred_at = now() where id = ${id}::uuid`);
  const body = { affiliateId, note: 'The customer named Ada' };
  expect((await api.call('POST', `/sales/${id}/attribute`, { key, body })).status).toBe(200);
  expect(await totals()).toEqual([4, 2, 2, 3]);
});

it('pages by cursor', async () => {
  const { list, organicId, saleId } = await setUp();
  const first = await list({ limit: '1' });
  expect(first.data).toMatchObject([{ externalSaleId: organicId }]);
  const second = await list({ limit: '1', cursor: first.meta.nextCursor });
  expect(second.data).toMatchObject([{ externalSaleId: saleId }]);
  expect(second.meta.hasMore).toBe(false);
});

it("shows nothing of another merchant, also by the sale's id", async () => {
  const { saleId } = await setUp();
  const { key } = await makeMerchant(api.runtime);
  expect((await api.call('GET', '/sales', { key, query: { externalSaleId: saleId } })).data).toEqual([]);
  expect((await api.call('GET', '/sales', { key })).meta.total).toBe(0);
});

it('400 for a filter that is no boolean or has no length', async () => {
  const { list } = await setUp();
  expect((await list({ attributed: 'maybe' })).status).toBe(400);
  expect((await list({ externalSaleId: '' })).status).toBe(400);
});
