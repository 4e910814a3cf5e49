import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makePayable, sendSale } from '../../support/factories.ts';

const api = useTestApi();

it('200: people who are owed money, those below the threshold or without a method included', async () => {
  const { key, program, programId, affiliateId } = await makePayable(api);
  const poor = await makeAffiliate(api.runtime, programId, null);
  await sendSale(api, program, { amount: 1_000, referralCode: poor.code });
  await makeAffiliate(api.runtime, programId);
  const answer = await api.call('GET', '/payouts/pending', { key, query: { programId } });
  expect(answer.status).toBe(200);
  expect(answer.meta).toMatchObject({ total: 2, hasMore: false });
  expect(answer.data).toMatchObject([
    {
      affiliateId: poor.affiliateId,
      pendingAmount: 200,
      meetsThreshold: false,
      hasPayoutMethod: false,
      payoutMethod: null,
      paypalEmail: null,
      bankIban: null,
    },
    {
      affiliateId,
      pendingAmount: 2000,
      threshold: 1000,
      meetsThreshold: true,
      hasPayoutMethod: true,
      payoutMethod: 'paypal',
      commissionCount: 1,
      currency: 'usd',
    },
  ]);
  expect(answer.data[1].paypalEmail).toContain('@example.com');
});

it('pages, and leaves out who is paid', async () => {
  const { key, program, programId, affiliateId } = await makePayable(api);
  const second = await makeAffiliate(api.runtime, programId);
  await sendSale(api, program, { amount: 10_000, referralCode: second.code });
  const page = await api.call('GET', '/payouts/pending', { key, query: { limit: '1' } });
  expect(page.meta).toMatchObject({ total: 2, hasMore: true });
  const next = await api.call('GET', '/payouts/pending', { key, query: { limit: '1', cursor: page.meta.nextCursor } });
  expect(next.data).toMatchObject([{ affiliateId }]);
  await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect((await api.call('GET', '/payouts/pending', { key })).meta.total).toBe(1);
});

it('400 for an unknown parameter', async () => {
  const { key } = await makePayable(api);
  expect((await api.call('GET', '/payouts/pending', { key, query: { status: 'open' } })).status).toBe(400);
});
