import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant, makePayable } from '../../support/factories.ts';

const api = useTestApi();
const CURRENCIES = ['usd', 'eur', 'gbp', 'jpy'] as const;

/** One merchant, and somebody to whom 200.00 or 200 yen are payable in each currency. */
const makeCurrencies = async (settings: Record<string, unknown>) => {
  const merchant = await makeMerchant(api.runtime);
  const { key, merchantId } = merchant;
  const other = (await makeKey(api.runtime, { ownerId: merchantId })).key;
  const payables: Awaited<ReturnType<typeof makePayable>>[] = [];
  for (const currency of CURRENCIES) {
    const amount = currency === 'jpy' ? 1_000 : 100_000;
    const program = { currency, payoutThreshold: currency === 'jpy' ? 100 : 1_000 };
    payables.push(await makePayable(api, { merchant, program, amount }));
  }
  await api.call('PATCH', '/merchant', { key, body: settings });
  const pay = (n: number, by = key) => {
    const { affiliateId, programId } = payables[n] ?? { affiliateId: '', programId: '' };
    return api.call('POST', '/payouts', { key: by, body: { affiliateId, programId } });
  };
  const draft = async () => (await api.call('POST', '/payout-runs', { key, body: {} })).data;
  const confirm = ({ id, total, items }: { id: string; total: object; items: number }) =>
    api.call('POST', `/payout-runs/${id}/confirm`, { key, body: { total, items } });
  return { key, other, merchantId, payables, pay, draft, confirm };
};

describe('MN7: limits add up over all currencies', () => {
  it('the daily limit lets nobody pay its amount once in each currency', async () => {
    const { pay } = await makeCurrencies({ payoutDailyLimit: { usd: 20_000 } });
    expect((await pay(0)).status).toBe(201);
    for (const n of [1, 2, 3]) {
      const refused = await pay(n);
      expect(refused.error?.details).toMatchObject({ reason: 'DAILY_LIMIT', created: 0, others: { usd: 20_000 } });
    }
  });

  it('a currency of its own limit uses up its share of it only', async () => {
    const { pay } = await makeCurrencies({ payoutDailyLimit: { usd: 60_000, eur: 40_000, jpy: 1_200 } });
    // A third, a half and, of yen, a sixth: all of it.
    expect([(await pay(0)).status, (await pay(1)).status, (await pay(3)).status]).toEqual([201, 201, 201]);
    expect((await pay(2)).error.details).toMatchObject({ limit: 40_000, amount: 20_000, currency: 'gbp' });
  });

  it('payouts at once in several currencies never exceed it together', async () => {
    const { pay } = await makeCurrencies({ payoutDailyLimit: { usd: 40_000 } });
    const answers = await Promise.all(CURRENCIES.map((_, n) => pay(n)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  });

  it('a run is compared with the limit as a whole', async () => {
    const { draft, confirm, pay, payables, key } = await makeCurrencies({ payoutDailyLimit: { usd: 79_999 } });
    const run = await draft();
    const refused = await confirm(run);
    expect(refused.error.details).toMatchObject({ reason: 'DAILY_LIMIT', currency: 'eur', others: { usd: 20_000, jpy: 200 } });
    const { data: less } = await api.call('DELETE', `/payout-runs/${run.id}/items/${payables[0]?.affiliateId}`, { key });
    expect((await confirm(less)).data.status).toBe('running');
    expect((await pay(0)).error.details).toMatchObject({ reason: 'DAILY_LIMIT', others: { eur: 20_000, gbp: 20_000, jpy: 200 } });
  });

  it('the threshold counts what the same actor paid in other currencies, and not what another one did', async () => {
    const { pay, other } = await makeCurrencies({ payoutApprovalThreshold: { usd: 50_000 } });
    for (const n of [0, 1]) expect((await pay(n)).data.approvalRequiredAt).toBeNull();
    expect((await pay(3, other)).data.approvalRequiredAt).toBeNull();
    const { data: third } = await pay(2);
    expect(third).toMatchObject({ currency: 'gbp', approvalRequiredAt: third.createdAt });
  });

  it('the threshold is compared with the total of a run in all currencies', async () => {
    const { draft, confirm } = await makeCurrencies({ payoutApprovalThreshold: { usd: 80_000 } });
    expect((await confirm(await draft())).data.status).toBe('awaiting_approval');
    const higher = await makeCurrencies({ payoutApprovalThreshold: { usd: 80_001 } });
    expect((await higher.confirm(await higher.draft())).data.status).toBe('running');
  });
});
