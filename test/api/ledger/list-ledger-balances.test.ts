import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';
import { makeBooks, month } from './support.ts';

const api = useTestApi();

type Balance = { account: string; programId: string; currency: string; amount: number };

const balancesOf = async (key: string, query: Record<string, string> = {}): Promise<Record<string, number>> => {
  const { data } = await api.call('GET', '/ledger/balances', { key, query });
  return Object.fromEntries(data.map(({ account, amount }: Balance) => [account, amount]));
};

it('adds up what was posted up to any time, before and after months are closed', async () => {
  const { key, post, close, programId } = await makeBooks(api);
  const times = [`${month(-3)}-10T12:00:00.000Z`, `${month(-2)}-10T12:00:00.000Z`, `${month(-2)}-20T12:00:00.000Z`];
  for (const time of times) await post(time, 1_000);
  await post(new Date().toISOString(), -200);
  const justBefore = new Date(Date.parse(times[1] ?? '') - 1).toISOString();
  const check = async () => {
    expect(await balancesOf(key, { at: `${month(-4)}-10T12:00:00.000Z` })).toEqual({});
    expect(await balancesOf(key, { at: justBefore })).toEqual({ merchant_expense: -1_000, payable: 1_000 });
    expect(await balancesOf(key, { at: String(times[1]) })).toEqual({ merchant_expense: -2_000, payable: 2_000 });
    expect(await balancesOf(key, { at: String(times[2]) })).toEqual({ merchant_expense: -3_000, payable: 3_000 });
    expect(await balancesOf(key)).toEqual({ merchant_expense: -2_800, payable: 2_800 });
    expect(await balancesOf(key, { programId })).toEqual({ merchant_expense: -2_800, payable: 2_800 });
  };
  await check();
  for (const distance of [-3, -2, -1]) {
    expect((await close(month(distance))).status).toBe(200);
    await check();
  }
});

it('lists programs apart, page by page, and none of another merchant', async () => {
  const { key, post, programId } = await makeBooks(api);
  await post(new Date().toISOString(), 1_000);
  const other = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, other.programId);
  await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: { amount: 500, kind: 'bonus', note: 'Test' } });
  const all = (await api.call('GET', '/ledger/balances', { key })).data;
  expect(all.map(({ account, amount }: Balance) => [account, amount]).sort()).toEqual([
    ['merchant_expense', -1_000],
    ['merchant_expense', -500],
    ['payable', 1_000],
    ['payable', 500],
  ]);
  const first = await api.call('GET', '/ledger/balances', { key, query: { limit: '3' } });
  const rest = await api.call('GET', '/ledger/balances', { key, query: { limit: '3', cursor: first.meta.nextCursor } });
  expect([...first.data, ...rest.data]).toEqual(all);
  expect(await balancesOf(key, { programId: other.programId })).toEqual({ merchant_expense: -500, payable: 500 });
  const stranger = await makeMerchant(api.runtime);
  expect(await balancesOf(stranger.key)).toEqual({});
  expect(await balancesOf(stranger.key, { programId })).toEqual({});
});
