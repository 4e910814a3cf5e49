import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';

const api = useTestApi();
const body = (more: Record<string, unknown>) => ({ name: 'P', commissionType: 'recurring', commissionPercent: 10, ...more });

describe('MO8: the payout threshold', () => {
  it.each([
    ['usd', 1_000, 100_000],
    ['jpy', 10, 100_000],
    ['kwd', 10_000, 1_000_000],
  ])('a threshold in %s is %i to %i, and 422 beyond', async (currency, min, max) => {
    const { key } = await makeMerchant(api.runtime);
    const create = (payoutThreshold: number) => api.call('POST', '/programs', { key, body: body({ currency, payoutThreshold }) });
    for (const threshold of [min, max]) expect((await create(threshold)).data.payoutThreshold).toBe(threshold);
    const { data } = await create(min);
    for (const threshold of [min - 1, max + 1]) {
      const changed = () => api.call('PATCH', `/programs/${data.id}`, { key, body: { payoutThreshold: threshold } });
      for (const refused of [await create(threshold), await changed()])
        expect([refused.status, refused.error.details.issues[0].path]).toEqual([422, 'payoutThreshold']);
    }
    const last = await api.call('PATCH', `/programs/${data.id}`, { key, body: { payoutThreshold: max } });
    expect(last.data.payoutThreshold).toBe(max);
  });

  it('the threshold is by default that of the merchant, within the range of the currency', async () => {
    const { key } = await makeMerchant(api.runtime);
    const made = async (currency: string) => (await api.call('POST', '/programs', { key, body: body({ currency }) })).data;
    expect((await made('kwd')).payoutThreshold).toBe(10_000);
    expect((await made('eur')).payoutThreshold).toBe(5_000);
    expect((await made('jpy')).payoutThreshold).toBe(5_000);
  });

  it('the threshold is checked again when the currency changes', async () => {
    const { key } = await makeMerchant(api.runtime);
    const { data } = await api.call('POST', '/programs', { key, body: body({ currency: 'jpy', payoutThreshold: 10 }) });
    const change = (changes: Record<string, unknown>) => api.call('PATCH', `/programs/${data.id}`, { key, body: changes });
    const refused = await change({ currency: 'usd' });
    expect([refused.status, refused.error.details.issues[0].path]).toEqual([422, 'payoutThreshold']);
    expect((await change({ currency: 'usd', payoutThreshold: 1_000 })).data).toMatchObject({
      currency: 'usd',
      payoutThreshold: 1_000,
    });
    expect((await change({ name: 'Q' })).status).toBe(200);
  });
});
