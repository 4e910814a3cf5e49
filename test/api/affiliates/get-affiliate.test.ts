import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

test('an affiliate is a person in a program, without balances unless asked for', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId, code } = await makeAffiliate(api.runtime, programId);
  const answer = await api.call('GET', `/affiliates/${affiliateId}`, { key });
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({
    id: affiliateId,
    userId: expect.any(String),
    programId,
    name: 'Ada Test',
    email: expect.stringContaining('@example.com'),
    code,
    status: 'approved',
    source: 'api',
    totalClicks: 0,
    totalConversions: 0,
    totalRevenue: 0,
    totalEarnings: 0,
    blockedAt: null,
    blockedReason: null,
    createdAt: expect.any(String),
  });
});

test('how an affiliate is paid is never told', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId, 'secret-paypal');
  const answer = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(answer.text).not.toContain('secret-paypal');
});

test('the stats of a new affiliate are zeros in the currency of the program', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { currency: 'eur' });
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(data.stats).toEqual({ currency: 'eur', totalRevenue: 0, pending: 0, payable: 0, inPayout: 0, paid: 0 });
});

test('the stats show what was sold and what the ledger holds', async () => {
  const { key, affiliateId } = await makePayable(api, { amount: 10_000, program: { commissionHoldDays: 30 } });
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(data).toMatchObject({
    totalConversions: 1,
    totalRevenue: 10_000,
    totalEarnings: 2_000,
    stats: { currency: 'usd', totalRevenue: 10_000, pending: 2_000, payable: 0, inPayout: 0, paid: 0 },
  });
});

test('an id that is no UUID, and unknown parameters, are bad requests', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  expect((await api.call('GET', '/affiliates/ada', { key })).error.code).toBe('BAD_REQUEST');
  for (const query of [{ include: 'everything' }, { include: '' }, { stats: 'true' }] as Record<string, string>[]) {
    expect(await api.call('GET', `/affiliates/${affiliateId}`, { key, query })).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST' },
    });
  }
});
