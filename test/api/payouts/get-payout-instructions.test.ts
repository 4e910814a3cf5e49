import { openTestApi, useTestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeKey,
  makeMerchant,
  makePayable,
  makeProgram,
  sendSale,
} from '../../support/factories.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { makeManualRun } from '../payout-runs/by-hand.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });

const read = (key: string, payoutId: string) => api.call('GET', `/payouts/${payoutId}/instructions`, { key });

it('N2: 200: shows where and how much to pay, and records who saw it', async () => {
  const { act, key, keyId, payoutId, code, read: readPayout } = await makePayout(api, { local: 'ada+n2' });
  await act('process');
  const response = await read(key, payoutId);
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    payoutId,
    status: 'processing',
    programName: expect.any(String),
    affiliateCode: code,
    amount: 2000,
    amountDecimal: '20.00',
    currency: 'usd',
    method: 'paypal',
    recipient: { paypalEmail: 'ada+n2@example.com', bankIban: null, bankBic: null, bankAccountHolder: null },
    reference: (await readPayout()).paymentReference,
  });
  expect(response.headers['cache-control']).toBe('no-store');
  await read(key, payoutId);
  const { data: timeline, text } = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  const views = timeline.filter((entry: { type: string }) => entry.type === 'instructions_viewed');
  expect(views).toHaveLength(2);
  expect(views[0]).toMatchObject({ actor: `key:${keyId}`, attempt: null, description: 'Payment instructions viewed' });
  expect(text).not.toContain('ada+n2');
});

it('a bank account is shown with the BIC that the affiliate entered', async () => {
  const payable = await makePayable(api, { local: null });
  const { key, affiliateId, programId, profileId } = payable;
  const bank = { bankIban: 'DE89370400440532013000', bankBic: 'cobadeff', bankAccountHolder: 'Ada Byron' };
  await api.call('PATCH', '/me/payout-info', { key: await makeAffiliateKey(api.runtime, profileId), body: bank });
  const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  await api.call('POST', `/payouts/${data.id}/process`, { key });
  expect((await read(key, data.id)).data).toMatchObject({
    method: 'bank_transfer',
    recipient: { ...bank, bankBic: 'COBADEFF', paypalEmail: null },
  });
});

it('the minor unit of a forint is a hundredth, although its prices are written without decimals', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, { currency: 'huf' });
  const { programId } = program;
  const { affiliateId, code } = await makeAffiliate(api.runtime, programId);
  await sendSale(api, program, { amount: 1_000_000, currency: 'huf', referralCode: code });
  const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  await api.call('POST', `/payouts/${data.id}/process`, { key });
  expect((await read(key, data.id)).data).toMatchObject({ amount: 200_000, amountDecimal: '2000.00', currency: 'huf' });
});

it('200 for a completed payout', async () => {
  const { act, key, payoutId } = await makePayout(api);
  await act('process');
  await act('complete');
  expect((await read(key, payoutId)).data).toMatchObject({ status: 'completed', amount: 2000 });
});

it('409 NOT_PROCESSING before the payout is processed, and after it failed; nothing is recorded', async () => {
  const { act, key, payoutId } = await makePayout(api);
  expect((await read(key, payoutId)).error.details).toEqual({ reason: 'NOT_PROCESSING', status: 'pending' });
  await act('process');
  await act('fail');
  const failed = await read(key, payoutId);
  expect(failed).toMatchObject({ status: 409, error: { details: { reason: 'NOT_PROCESSING', status: 'failed' } } });
  expect(failed.text).not.toContain('@example.com');
  const { text } = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(text).not.toContain('instructions_viewed');
});

it('409 RUN_PAUSED while its run is paused, also of a payment that somebody began; what was paid stays readable', async () => {
  const { key, payoutIds, act, pause } = await makeManualRun(api, 2);
  const [begun = '', paid = ''] = payoutIds;
  await act('process');
  await api.call('POST', `/payouts/${paid}/complete`, { key });
  await pause();
  expect((await read(key, begun)).error.details).toMatchObject({ reason: 'RUN_PAUSED' });
  expect((await read(key, paid)).status).toBe(200);
  expect((await api.call('POST', `/payouts/${begun}/complete`, { key })).data).toMatchObject({ status: 'completed' });
  const { text } = await api.call('GET', `/payouts/${begun}/timeline`, { key });
  expect(text).not.toContain('instructions_viewed');
});

it('a payout whose instructions were read cannot be cancelled', async () => {
  const { act, key, payoutId } = await makePayout(api);
  await act('process');
  await read(key, payoutId);
  expect((await act('cancel')).error.details.reason).toBe('ATTEMPT_STARTED');
});

it('409 RAIL_NOT_MANUAL on another rail', async () => {
  const sandbox = await openTestApi({
    RAIL_PAYPAL: 'sandbox',
    SANDBOX_URL: 'http://127.0.0.1:9',
    SANDBOX_API_KEY: '0123456789abcdef',
    SANDBOX_NOTIFICATION_SECRET: `whsec_${'A'.repeat(43)}=`,
  });
  try {
    const { key, payoutId } = await makePayout(sandbox);
    const response = await sandbox.call('GET', `/payouts/${payoutId}/instructions`, { key });
    expect(response).toMatchObject({ status: 409, error: { details: { reason: 'RAIL_NOT_MANUAL', rail: 'sandbox' } } });
  } finally {
    await sandbox.close();
  }
});

it('403 without payouts:write and for another merchant; 404 when missing', async () => {
  const { act, merchantId, payoutId } = await makePayout(api);
  await act('process');
  const { key: reader } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  expect((await read(reader, payoutId)).error.code).toBe('INSUFFICIENT_SCOPE');
  const other = await makeMerchant(api.runtime);
  expect((await read(other.key, payoutId)).error.code).toBe('FORBIDDEN');
  expect((await read(other.key, MISSING_ID)).error.code).toBe('NOT_FOUND');
});

it('HEAD is 404: it would record a reading that showed nothing', async () => {
  const { act, key, payoutId } = await makePayout(api);
  await act('process');
  const url = `/api/v1/payouts/${payoutId}/instructions`;
  const response = await api.app.inject({ method: 'HEAD', url, headers: { authorization: `Bearer ${key}` } });
  expect(response.statusCode).toBe(404);
  const { text } = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(text).not.toContain('instructions_viewed');
});
