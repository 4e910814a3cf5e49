import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, sendSale } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('201: a new payout with the amount computed anew; the failed one stays failed', async () => {
  const { act, payoutId, program, code, read } = await makePayout(api);
  await act('cancel');
  await sendSale(api, program, { amount: 5_000, referralCode: code });
  const response = await act('retry');
  expect(response.status).toBe(201);
  expect(response.data).toMatchObject({ retryOf: payoutId, amount: 3000, status: 'pending' });
  expect(response.data.id).not.toBe(payoutId);
  expect(await read()).toMatchObject({ status: 'failed', amount: 2000 });
});

it('201: pays by the method that the affiliate chose after the failure', async () => {
  const { act, profileId } = await makePayout(api);
  await act('cancel');
  const key = await makeAffiliateKey(api.runtime, profileId);
  const body = { payoutMethod: 'bank_transfer', bankIban: 'DE89370400440532013000', bankAccountHolder: 'Ada Test' };
  expect((await api.call('PATCH', '/me/payout-info', { key, body })).status).toBe(200);
  expect(await act('retry')).toMatchObject({ status: 201, data: { method: 'bank_transfer' } });
});

it('409 NOT_FAILED', async () => {
  const { act } = await makePayout(api);
  expect((await act('retry')).error.details).toMatchObject({ reason: 'NOT_FAILED', status: 'pending' });
});

it('409 ALREADY_RETRIED, also for simultaneous requests', async () => {
  const { act } = await makePayout(api);
  await act('cancel');
  const responses = await Promise.all([act('retry'), act('retry'), act('retry')]);
  const [won] = responses.filter((response) => response.status === 201);
  expect(responses.map((response) => response.status).sort()).toEqual([201, 409, 409]);
  expect((await act('retry')).error.details).toMatchObject({ reason: 'ALREADY_RETRIED', payoutId: won?.data.id });
});

it('409 under the rules of a new payout', async () => {
  const { act, key, affiliateId } = await makePayout(api);
  await act('cancel');
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect((await act('retry')).error.details).toMatchObject({ reason: 'AFFILIATE_BLOCKED' });
});
