import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, makePayable } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { makePerson, sell } from './support.ts';

const api = useTestApi();

test('returns the terms of the program, the numbers of the person and their payout details, with the IBAN masked', async () => {
  const person = makePerson(api);
  const allowedLandingPages = [{ path: '/pricing', label: 'Pricing' }];
  const own = await person.join({
    website: 'https://acme.example',
    allowedLandingPages,
    commissionHoldDays: 7,
    cookieDuration: 60,
  });
  await sell(api, own);
  const key = await makeAffiliateKey(api.runtime, own.profileId);
  const bank = { bankIban: 'DE89370400440532013000', bankAccountHolder: 'Ada Byron', firstName: 'Ada' };
  await api.call('PATCH', '/me/payout-info', { key, body: bank });
  const { status, data, text } = await api.call('GET', `/me/programs/${own.programId}`, { key });
  expect([status, data]).toEqual([
    200,
    expect.objectContaining({
      affiliateId: own.affiliateId,
      programId: own.programId,
      merchantCompanyName: expect.stringMatching(/^Company /),
      companyName: null,
      website: 'https://acme.example',
      allowedLandingPages,
      allowCustomDestinations: false,
      cookieDuration: 60,
      payoutThreshold: 1_000,
      payoutFrequency: 'monthly',
      currency: 'usd',
      code: own.code,
      totalConversions: 1,
      pendingCommission: 2_000,
      payoutMethod: 'bank_transfer',
      bankIban: '****3000',
      bankAccountHolder: 'Ada Byron',
      firstName: 'Ada',
      taxFormCompleted: false,
    }),
  ]);
  expect(text).not.toContain(bank.bankIban);
});

test("only the person's own numbers are shown", async () => {
  const theirs = await makePayable(api);
  const person = makePerson(api);
  const { profileId } = await person.joinProgram(theirs.program);
  const { data } = await (await person.call(profileId))(`/me/programs/${theirs.programId}`);
  expect(data).toMatchObject({ totalConversions: 0, totalRevenue: 0, totalCommission: 0, paypalEmail: null });
});

test('responds 404 for a missing program, 403 for one that the person has not joined, 400 for a malformed id', async () => {
  const theirs = await makePayable(api);
  const person = makePerson(api);
  const get = await person.call((await person.join()).profileId);
  const statuses = await Promise.all(
    [MISSING_ID, theirs.programId, 'x'].map(async (id) => (await get(`/me/programs/${id}`)).status),
  );
  expect(statuses).toEqual([404, 403, 400]);
  expect((await get(`/me/programs/${theirs.programId}`)).error.message).toBe('You are not an affiliate of this program');
});
