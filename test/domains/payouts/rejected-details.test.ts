import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { makeAffiliateKey, makePayable, sendSale, unique } from '../../support/factories.ts';
import { providerError } from '../../support/provider.ts';
import { payByRail, railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const REJECTED = { status: 409, error: { code: 'CONFLICT', details: { reason: 'DETAILS_REJECTED' } } };

beforeEach(() => api.provider.onSubmit(() => providerError(422, 'account_closed')));

afterEach(async () => {
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

/** A payout to an address that refuses it, and what can be done about it. */
const refuse = async (local = `ok+${unique()}`) => {
  const payout = await payByRail(api, { local });
  await payout.send();
  const { key, affiliateId, programId, profileId } = payout;
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const again = async () => {
    const { status, data, error } = await pay();
    if (status !== 201) return { status, error };
    await railSteps(api, data.id, key).send();
    return { status, error };
  };
  const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
  const me = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object) =>
    api.call(method, path, { key: affiliateKey, ...(body ? { body } : {}) });
  const pending = async () => (await api.call('GET', '/payouts/pending', { key })).data[0];
  const mails = () =>
    rowsOf(api, `select period from mail where kind = 'payout_details_rejected' and subject_id = ?`, [profileId]);
  return { ...payout, local, pay, again, me, pending, mails };
};

test('FI8: after three refusals of the same details a payout and a retry are 409, everybody sees why, and the affiliate is told once', async () => {
  const { payoutId, key, again, pay, pending, me, mails } = await refuse();
  await again();
  expect((await pending()).detailsRejected).toBeNull();
  expect(await mails()).toEqual([]);
  expect((await again()).status).toBe(201);
  const refused = await pay();
  expect(refused).toMatchObject(REJECTED);
  expect(refused.error.details).toMatchObject({ railReason: 'account_closed', since: expect.any(String) });
  expect(await api.call('POST', `/payouts/${payoutId}/retry`, { key })).toMatchObject(REJECTED);
  const rejected = { railReason: 'account_closed', since: refused.error.details.since };
  expect((await pending()).detailsRejected).toEqual(rejected);
  expect((await me('GET', '/me/payout-info')).data.detailsRejected).toEqual(rejected);
  expect(await mails()).toHaveLength(1);
});

test('changed details are paid to, also when only the case of the address was another before', async () => {
  const local = `ok+${unique()}`;
  const { again, pay, me } = await refuse(local);
  await again();
  await me('PATCH', '/me/payout-info', { paypalEmail: `OK+${local.slice(3)}@example.com` });
  await again();
  // Two refusals were of the details before the change.
  expect((await again()).status).toBe(201);
  expect((await again()).status).toBe(201);
  expect(await pay()).toMatchObject(REJECTED);
  const changed = await me('PATCH', '/me/payout-info', { paypalEmail: `ok+${unique()}@example.com` });
  expect(changed).toMatchObject({ status: 200, data: { detailsRejected: null } });
  expect((await pay()).status).toBe(201);
});

test('details that their owner confirms are paid to again, until three more refusals', async () => {
  const { again, pay, me, mails } = await refuse();
  for (const _ of [1, 2]) await again();
  expect(await pay()).toMatchObject(REJECTED);
  expect((await me('PATCH', '/me/payout-info', { firstName: 'Ada' })).data.detailsRejected).not.toBeNull();
  expect(await me('POST', '/me/payout-info/confirm')).toMatchObject({ status: 200, data: { detailsRejected: null } });
  for (const _ of [1, 2, 3]) expect((await again()).status).toBe(201);
  expect(await pay()).toMatchObject(REJECTED);
  expect(await mails()).toHaveLength(2);
});

test('refusals at one merchant do not hold up another; three at several merchants pause the details for all', async () => {
  const local = `ok+${unique()}`;
  const first = await refuse(local);
  for (const _ of [1, 2]) await first.again();
  expect(await first.pay()).toMatchObject(REJECTED);
  // The refusal of another merchant makes it all.
  const second = await refuse(local);
  expect(await second.pay()).toMatchObject(REJECTED);
  expect((await second.pending()).detailsRejected).toMatchObject({ railReason: 'account_closed' });
  // A merchant is not told what happened to payouts of others.
  const { key } = await makePayable(api, { local });
  const [untold] = (await api.call('GET', '/payouts/pending', { key })).data;
  expect(untold.detailsRejected).toEqual({ railReason: null, since: null });
  // What one owner confirms says nothing about the details of another profile.
  await first.me('POST', '/me/payout-info/confirm');
  expect([(await first.pay()).status, (await second.pay()).status]).toEqual([201, 409]);
});

test('a failure by hand, and one that is not about the details, count for nothing', async () => {
  api.provider.onSubmit(() => providerError(402, 'insufficient_funds'));
  const { again, pay } = await refuse();
  for (const _ of [1, 2, 3]) expect((await again()).status).toBe(201);
  api.provider.onSubmit(() => providerError(500, 'internal_error'));
  const byHand = await payByRail(api);
  for (const id of [byHand.payoutId]) {
    await byHand.send();
    await rowsOf(api, `update payout set needs_attention = true, review_reason = 'status_unknown' where id = ?`, [id]);
    expect((await byHand.act('fail', { note: 'account_closed' })).status).toBe(200);
  }
  expect(await rowsOf(api, 'select 1 from details_refusal where payout_id = ?', [byHand.payoutId])).toEqual([]);
  expect((await pay()).status).toBe(201);
});

test('a payout that was paid after all refused nothing', async () => {
  const { report, act, profileId } = await refuse();
  await report('paid');
  const refusals = () => rowsOf(api, 'select 1 from details_refusal where profile_id = ?', [profileId]);
  expect(await refusals()).toHaveLength(1);
  expect((await act('resolve', { outcome: 'paid', note: 'Seen on the statement' })).status).toBe(200);
  expect(await refusals()).toEqual([]);
});

test('details that a merchant entered are confirmed by entering them again', async () => {
  const { key, program, programId } = await payByRail(api);
  const paypalEmail = `ok+${unique()}@example.com`;
  const { data: added } = await api.call('POST', '/affiliates', {
    key,
    body: { programId, email: `a-${unique()}@example.com`, paypalEmail },
  });
  await sendSale(api, program, { referralCode: added.code });
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId: added.id, programId } });
  for (const _ of [1, 2, 3]) await railSteps(api, (await pay()).data.id, key).send();
  expect(await pay()).toMatchObject(REJECTED);
  const confirm = () => api.call('PATCH', `/affiliates/${added.id}`, { key, body: { paypalEmail } });
  expect((await confirm()).status).toBe(200);
  expect((await pay()).status).toBe(201);
  const [mail] = await rowsOf(api, `select merchant_id from mail where kind = 'payout_details_rejected' and period like ?`, [
    `${added.id}%`,
  ]);
  expect(mail.merchant_id).not.toBeNull();
});

test('a refusal that a notification and a look-up report too is counted once, and goes with the person', async () => {
  const { profileId, notify, lookUp, order } = await refuse();
  await notify('failed', { failureCode: 'account_closed' });
  api.provider.onLookUp(() => transferOf(order, 'failed', { failureCode: 'account_closed' }));
  await lookUp();
  const refusals = () => rowsOf(api, 'select reason from details_refusal where profile_id = ?', [profileId]);
  expect(await refusals()).toEqual([{ reason: 'account_closed' }]);
  const [{ email }] = await rowsOf(api, 'select email from affiliate_profile where id = ?', [profileId]);
  await erasePerson(api.runtime.context({ kind: 'system', name: 'test' }), { email });
  expect(await refusals()).toEqual([]);
});
