import { listPendingPayouts } from '../../../src/domains/payouts/lists/pending-payouts.queries.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makePayable, sendRefund, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();

it('200: affiliates with a payable balance, including those below the threshold or without a payout method', async () => {
  const { key, program, programId, affiliateId } = await makePayable(api);
  const poor = await makeAffiliate(api.runtime, programId, null);
  await sendSale(api, program, { amount: 1_000, referralCode: poor.code });
  await makeAffiliate(api.runtime, programId);
  const response = await api.call('GET', '/payouts/pending', { key, query: { programId } });
  expect(response.status).toBe(200);
  expect(response.meta).toMatchObject({ total: 2, hasMore: false });
  expect(response.data).toMatchObject([
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
  expect(response.data[1].paypalEmail).toContain('@example.com');
});

it('the list is paged, and excludes affiliates without a payable balance', async () => {
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

test('S4: blocked affiliates are shown as such', async () => {
  const { key, affiliateId } = await makePayable(api);
  const pending = async () => (await api.call('GET', '/payouts/pending', { key })).data;
  expect(await pending()).toMatchObject([{ affiliateId, blocked: false }]);
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect(await pending()).toMatchObject([{ affiliateId, blocked: true, pendingAmount: 2000, meetsThreshold: true }]);
});

test('S4: commissionCount is the number of items that the payout would have, adjustments included', async () => {
  const { key, program, programId, affiliateId, saleId, code } = await makePayable(api);
  await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  await sendRefund(api, program, { saleId, amount: 5_000 });
  const refunded = `sale-${unique()}`;
  for (const id of [refunded, `sale-${unique()}`, `sale-${unique()}`]) {
    await sendSale(api, program, { saleId: id, amount: 10_000, referralCode: code });
  }
  await sendRefund(api, program, { saleId: refunded, amount: 10_000 });
  const { data } = await api.call('GET', '/payouts/pending', { key });
  // Two commissions and the adjustment for the refund of the one that is in a payout.
  expect(data).toMatchObject([{ affiliateId, pendingAmount: 3_000, commissionCount: 3 }]);
});

test('G5: a page of pending payouts is one statement and one about refused details, whatever its size', async () => {
  const { merchantId, keyId, program, programId } = await makePayable(api);
  for (let n = 0; n < 5; n++) {
    const { code } = await makeAffiliate(api.runtime, programId);
    await sendSale(api, program, { referralCode: code });
  }
  const ctx = api.runtime.context({ kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes: [] });
  const { em } = ctx;
  let statements = 0;
  const counting = new Proxy(em, {
    get(target, name) {
      if (name === 'getKysely') statements++;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const page = await listPendingPayouts({ ...ctx, em: counting }, {});
  expect([page.items.length, page.items.every((item) => item.paypalEmail !== null), statements]).toEqual([6, true, 2]);
});
