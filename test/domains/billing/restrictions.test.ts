import { makeSeller, setGraceEnd } from '../../api/billing/support.ts';
import { claim, makeInviter, makePerson } from '../../api/invites/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { makeMerchant, makeProgram, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi({ BILLING_SELF_SERVICE: 'true' });

const conflictWith = (reason: string) => ({ status: 409, error: { code: 'CONFLICT', details: { reason } } });
const newProgram = () => ({ name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10 });

test('a revenue above the tier forbids new programs only, until the merchant has a tier that covers it', async () => {
  const { key, programId, program, code } = await makeSeller(api, 100_001);
  const create = () => api.call('POST', '/programs', { key, body: newProgram() });
  expect(await create()).toMatchObject(conflictWith('BILLING_REQUIRED'));
  expect((await create()).error.details).toMatchObject({ tier: 'free', maxRevenue: 100_000 });
  expect((await api.call('POST', `/programs/${programId}/invites`, { key, body: {} })).status).toBe(201);
  expect((await sendSale(api, program, { referralCode: code })).data.outcome).toBe('recorded');
  expect((await api.call('POST', '/billing/subscribe', { key, body: { tier: 'starter' } })).status).toBe(200);
  expect((await create()).status).toBe(201);
});

test('a restricted merchant creates no programs and invites, and adds and approves no affiliates; nothing changes', async () => {
  const { key, merchantId, programId, applicationId } = await makeApplication(api);
  const person = { programId, email: `a-${unique()}@example.com` };
  const attempts = [
    () => api.call('POST', '/programs', { key, body: newProgram() }),
    () => api.call('POST', `/programs/${programId}/invites`, { key, body: {} }),
    () => api.call('POST', '/affiliates', { key, body: person }),
    () => api.call('POST', `/applications/${applicationId}/approve`, { key, body: {} }),
  ];
  await setGraceEnd(api, merchantId, -1);
  for (const attempt of attempts) expect(await attempt()).toMatchObject(conflictWith('BILLING_RESTRICTED'));
  expect((await api.call('GET', `/programs/${programId}/invites`, { key })).data).toEqual([]);
  expect((await api.call('GET', '/affiliates', { key })).data).toEqual([]);
  expect((await api.call('GET', `/applications/${applicationId}`, { key })).data.status).toBe('pending');
  await setGraceEnd(api, merchantId, 1);
  expect((await Promise.all(attempts.map((attempt) => attempt()))).map(({ status }) => status)).toEqual([201, 201, 201, 200]);
});

test('applications to a restricted merchant wait, although the program approves automatically', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { autoApproveAffiliates: true, marketplaceStatus: 'public' });
  const applyAs = async () => {
    const person = await makePerson(api);
    return (await api.call('POST', `/marketplace/apply/${programId}`, { key: person.key, body: {} })).data.status;
  };
  expect(await applyAs()).toBe('auto_approved');
  await setGraceEnd(api, merchantId, -1);
  expect(await applyAs()).toBe('pending');
});

test('whoever claims an invite of a restricted merchant waits, although the invite skips the review', async () => {
  const { key, merchantId, invite } = await makeInviter(api);
  const token = await invite({ isPublic: true, usageLimit: 2, skipOnboarding: true });
  await setGraceEnd(api, merchantId, -1);
  const { status, data } = await claim(api, await makePerson(api), token);
  expect({ status, data }).toMatchObject({ status: 201, data: { status: 'pending' } });
  expect((await api.call('GET', '/affiliates', { key })).data).toEqual([]);
  await setGraceEnd(api, merchantId, null);
  expect((await claim(api, await makePerson(api), token)).data.status).toBe('auto_approved');
  expect((await api.call('POST', `/applications/${data.applicationId}/approve`, { key })).status).toBe(200);
});

test('sales, commissions, payouts and settings go on while a merchant is restricted', async () => {
  const { key, merchantId, affiliateId, programId, program, code } = await makeSeller(api, 10_000);
  await setGraceEnd(api, merchantId, -1);
  expect((await sendSale(api, program, { referralCode: code })).data.outcome).toBe('recorded');
  const paid = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(paid).toMatchObject({ status: 201, data: { amount: 4_000 } });
  expect((await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'paused' } })).status).toBe(200);
});
