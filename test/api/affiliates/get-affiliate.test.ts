import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

test('an affiliate is returned without balances by default', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId, code } = await makeAffiliate(api.runtime, programId);
  const response = await api.call('GET', `/affiliates/${affiliateId}`, { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
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
    commissionPercent: null,
    payoutsPaused: false,
    trustTier: 'new',
    externalId: null,
    metadata: null,
    payoutDetails: null,
    createdAt: expect.any(String),
  });
});

test('payout details that the affiliate entered are never returned', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId, 'secret-paypal');
  const response = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(response.text).not.toContain('secret-paypal');
});

test('the stats of a new affiliate are zero in the currency of the program', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { currency: 'eur' });
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(data.stats).toEqual({ currency: 'eur', totalRevenue: 0, pending: 0, payable: 0, inPayout: 0, paid: 0 });
});

test('the stats show revenue and ledger balances', async () => {
  const { key, affiliateId } = await makePayable(api, { amount: 10_000, program: { commissionHoldDays: 30 } });
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(data).toMatchObject({
    totalConversions: 1,
    totalRevenue: 10_000,
    totalEarnings: 2_000,
    stats: { currency: 'usd', totalRevenue: 10_000, pending: 2_000, payable: 0, inPayout: 0, paid: 0 },
  });
});

test('400 for an id that is not a UUID and for unknown parameters', async () => {
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
