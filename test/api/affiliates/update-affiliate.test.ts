import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram, sendRefund, sendSale, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

const makeMember = async (settings: Record<string, unknown> = {}) => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, settings);
  const affiliate = await makeAffiliate(api.runtime, program.programId);
  const update = (body: unknown) => api.call('PATCH', `/affiliates/${affiliate.affiliateId}`, { key, body });
  const read = async () => (await api.call('GET', `/affiliates/${affiliate.affiliateId}`, { key })).data;
  return { key, merchantId, program, ...affiliate, update, read };
};

test('the percent and the pause are stored, and each can be changed alone', async () => {
  const { affiliateId, update, read } = await makeMember();
  expect(await read()).toMatchObject({ commissionPercent: null, payoutsPaused: false });
  const changed = await update({ commissionPercent: 32.55, payoutsPaused: true });
  expect(changed).toMatchObject({ status: 200, data: { id: affiliateId, commissionPercent: 32.55, payoutsPaused: true } });
  expect(await read()).toEqual(changed.data);
  expect((await update({ commissionPercent: null })).data).toMatchObject({ commissionPercent: null, payoutsPaused: true });
  expect((await update({ payoutsPaused: false })).data).toMatchObject({ commissionPercent: null, payoutsPaused: false });
});

test('an update without changes returns the affiliate', async () => {
  const { update, read } = await makeMember();
  const before = await read();
  expect((await update({})).data).toEqual(before);
  expect((await update({ commissionPercent: null, payoutsPaused: false })).data).toEqual(before);
});

test('the percent replaces that of the program for later sales only', async () => {
  const { key, program, code, update } = await makeMember({ commissionPercent: 20 });
  const sell = async () => {
    const { data } = await sendSale(api, program, { amount: 10_000, referralCode: code });
    const list = await api.call('GET', '/conversions', { key });
    return list.data.find((conversion: { id: string }) => conversion.id === data.conversionId).commission;
  };
  expect(await sell()).toBe(2_000);
  await update({ commissionPercent: 33.33 });
  expect(await sell()).toBe(3_333);
  await update({ commissionPercent: null });
  expect(await sell()).toBe(2_000);
  const { data } = await api.call('GET', '/conversions', { key });
  expect(data.map((conversion: { commission: number }) => conversion.commission)).toEqual([2_000, 3_333, 2_000]);
});

test('a refund takes back the percent that the sale was credited with', async () => {
  const { key, program, affiliateId, code, update } = await makeMember();
  await update({ commissionPercent: 50 });
  const saleId = `sale-${unique()}`;
  await sendSale(api, program, { saleId, amount: 10_000, referralCode: code });
  await update({ commissionPercent: 1 });
  await sendRefund(api, program, { saleId, amount: 5_000 });
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(data.stats.payable).toBe(2_500);
});

test('a paused affiliate still earns', async () => {
  const { key, program, affiliateId, code, update } = await makeMember();
  await update({ payoutsPaused: true });
  expect((await sendSale(api, program, { referralCode: code })).data.outcome).toBe('recorded');
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(data).toMatchObject({ payoutsPaused: true, stats: { payable: 2_000 } });
});

test('updates at the same time keep the changes of both', async () => {
  const { update, read } = await makeMember();
  await Promise.all([update({ commissionPercent: 10 }), update({ payoutsPaused: true })]);
  expect(await read()).toMatchObject({ commissionPercent: 10, payoutsPaused: true });
});

test.each([
  ['commissionPercent', { commissionPercent: 0 }],
  ['commissionPercent', { commissionPercent: 0.99 }],
  ['commissionPercent', { commissionPercent: 100.01 }],
  ['commissionPercent', { commissionPercent: 12.345 }],
  ['commissionPercent', { commissionPercent: '20' }],
  ['payoutsPaused', { payoutsPaused: null }],
  ['payoutsPaused', { payoutsPaused: 'true' }],
  ['status', { status: 'blocked', commissionPercent: 5 }],
])('an invalid %s is reported and changes nothing: %j', async (path, body) => {
  const { update, read } = await makeMember();
  expect(await update(body)).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
  expect(await read()).toMatchObject({ status: 'approved', commissionPercent: null, payoutsPaused: false });
});

test('404 for a missing affiliate, 403 for that of another merchant, 400 for a malformed id', async () => {
  const { key } = await makeMember();
  const other = await makePayable(api);
  const update = (id: string) => api.call('PATCH', `/affiliates/${id}`, { key, body: { payoutsPaused: true } });
  expect([(await update(MISSING_ID)).status, (await update(other.affiliateId)).status, (await update('x')).status]).toEqual([
    404, 403, 400,
  ]);
});
