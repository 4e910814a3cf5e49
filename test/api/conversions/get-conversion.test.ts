import { useTestApi } from '../../support/api.ts';
import { makeClick, makeCoupon, makeMerchant, makePayable, sendRefund, sendSale, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

it('tells the sale, the evidence that decided, what else was there, and every ledger entry that followed', async () => {
  const { key, program, programId, affiliateId, code } = await makePayable(api);
  const { couponId, couponCode } = await makeCoupon(api.runtime, { programId, affiliateId });
  const { clickToken } = await makeClick(api.runtime, { programId, affiliateId, code });
  const saleId = `sale-${unique()}`;
  const metadata = { plan: 'pro', seats: '3' };
  const customer = { id: `c-${unique()}`, email: 'buyer@example.org' };
  const sale = { saleId, customer, couponCode: couponCode.toUpperCase(), clickToken, subscriptionId: 'sub-1', metadata };
  const { data } = await sendSale(api, program, sale);
  await sendRefund(api, program, { saleId, amount: 5_000 });
  const response = await api.call('GET', `/conversions/${data.conversionId}`, { key });
  expect(response).toMatchObject({
    status: 200,
    data: {
      id: data.conversionId,
      method: 'coupon',
      externalSaleId: saleId,
      customerId: customer.id,
      subscriptionId: 'sub-1',
      metadata,
      disputedAt: null,
      payoutId: null,
      attribution: {
        rule: 'coupon',
        couponId,
        clickId: null,
        unused: [{ rule: 'click', value: clickToken, result: 'not_needed' }],
      },
    },
  });
  const entries = response.data.ledgerEntries.map(({ kind, account, amount }: Record<string, unknown>) => [
    kind,
    account,
    amount,
  ]);
  expect(entries).toEqual([
    ['conversion', 'merchant_expense', -2_000],
    ['conversion', 'pending', 2_000],
    ['approval', 'pending', -2_000],
    ['approval', 'payable', 2_000],
    ['refund', 'payable', -1_000],
    ['refund', 'merchant_expense', 1_000],
  ]);
});

it('names the payout that includes the commission', async () => {
  const { key, affiliateId, programId, conversionId } = await makePayable(api);
  const payout = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect((await api.call('GET', `/conversions/${conversionId}`, { key })).data.payoutId).toBe(payout.data.id);
});

it("404 for a missing conversion, 403 for another merchant's", async () => {
  const { conversionId } = await makePayable(api);
  const { key } = await makeMerchant(api.runtime);
  expect((await api.call('GET', `/conversions/${MISSING_ID}`, { key })).status).toBe(404);
  expect((await api.call('GET', `/conversions/${conversionId}`, { key })).status).toBe(403);
});
