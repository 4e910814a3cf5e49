import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { makeBooks, month } from './support.ts';

const api = useTestApi();

it('the list has the months from that of the first entry on, with the figures of those that are closed', async () => {
  const { key, keyId, post, close } = await makeBooks(api);
  await post(`${month(-3)}-10T12:00:00.000Z`, 1_000);
  await post(`${month(-1)}-10T12:00:00.000Z`, -300);
  const closed = [];
  for (const distance of [-3, -2, -1]) closed.unshift((await close(month(distance))).data);
  const open = { period: month(0), status: 'open', closedAt: null, closedBy: null, totals: [] };
  const { data } = await api.call('GET', '/ledger/periods', { key });
  expect(data).toEqual([open, ...closed]);
  const figures = (change: number, entries: number, balance: number) => [
    { account: 'merchant_expense', currency: 'usd', entries, amount: 0 - change, balance: 0 - balance },
    { account: 'payable', currency: 'usd', entries, amount: change, balance },
  ];
  expect(closed).toMatchObject([
    { period: month(-1), status: 'closed', totals: figures(-300, 1, 700) },
    { period: month(-2), status: 'closed', totals: figures(0, 0, 1_000) },
    { period: month(-3), status: 'closed', closedBy: `key:${keyId}`, totals: figures(1_000, 1, 1_000) },
  ]);
  const paged = await api.call('GET', '/ledger/periods', { key, query: { limit: '2' } });
  expect(paged.data).toEqual([open, closed[0]]);
});

it('the list has no month before the first entry', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect((await api.call('GET', '/ledger/periods', { key })).data).toEqual([]);
});
