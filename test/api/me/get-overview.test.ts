import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, makePayable } from '../../support/factories.ts';
import { makePerson, sell } from './support.ts';

const api = useTestApi();

test('the totals are the balances of the ledger in the currency of the most recent sale, with every currency beside them', async () => {
  const person = makePerson(api);
  const usd = await person.join();
  const eur = await person.join({ currency: 'eur', commissionHoldDays: 30 });
  await sell(api, usd);
  await sell(api, eur, { amount: 30_000, currency: 'eur' });
  const get = await person.call(usd.profileId);
  const { data } = await get('/me/overview');
  const none = { totalEarnings: 0, pendingEarnings: 0, availableEarnings: 0, inPayoutEarnings: 0, paidEarnings: 0 };
  const inEuro = { ...none, totalEarnings: 6_000, pendingEarnings: 6_000 };
  expect(data).toMatchObject({
    affiliateProfileId: usd.profileId,
    programCount: 2,
    activeProgramCount: 2,
    currency: 'eur',
    ...inEuro,
    byCurrency: [
      { currency: 'eur', ...inEuro },
      { currency: 'usd', ...none, totalEarnings: 2_000, availableEarnings: 2_000 },
    ],
  });
  const numbers = { totalClicks: 0, totalConversions: 1, totalLeads: 0, totalCustomers: 1, totalPaidOut: 0 };
  expect(data.programStats).toEqual([
    expect.objectContaining({
      programId: eur.programId,
      currency: 'eur',
      ...numbers,
      totalRevenue: 30_000,
      totalCommission: 6_000,
    }),
    expect.objectContaining({
      programId: usd.programId,
      currency: 'usd',
      ...numbers,
      totalRevenue: 10_000,
      totalCommission: 2_000,
    }),
  ]);
});

test('a later sale makes its currency the main one', async () => {
  const person = makePerson(api);
  const usd = await person.join();
  const eur = await person.join({ currency: 'eur' });
  await sell(api, eur, { currency: 'eur' });
  await sell(api, usd);
  const { data } = await (await person.call(usd.profileId))('/me/overview');
  expect([data.currency, data.byCurrency.map(({ currency }: { currency: string }) => currency)]).toEqual(['usd', ['usd', 'eur']]);
});

test('money moves from available to in payout to paid, and the total stays', async () => {
  const person = makePerson(api);
  const own = await person.join({}, { paypalEmail: 'ok@example.com' });
  await sell(api, own);
  const get = await person.call(own.profileId);
  const amounts = async () => {
    const { totalEarnings, availableEarnings, inPayoutEarnings, paidEarnings } = (await get('/me/overview')).data;
    return [totalEarnings, availableEarnings, inPayoutEarnings, paidEarnings];
  };
  const { key, affiliateId, programId } = own;
  expect(await amounts()).toEqual([2_000, 2_000, 0, 0]);
  const payout = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(await amounts()).toEqual([2_000, 0, 2_000, 0]);
  await api.call('POST', `/payouts/${payout.data.id}/process`, { key });
  await api.call('POST', `/payouts/${payout.data.id}/complete`, { key });
  expect(await amounts()).toEqual([2_000, 0, 0, 2_000]);
});

test('a program that is paused or that blocked the person is not active, and keeps its amounts', async () => {
  const person = makePerson(api);
  const [paused, blocking] = [await person.join(), await person.join()];
  await sell(api, blocking);
  await api.call('PATCH', `/programs/${paused.programId}`, { key: paused.key, body: { status: 'paused' } });
  await api.call('POST', `/affiliates/${blocking.affiliateId}/block`, { key: blocking.key });
  const { data } = await (await person.call(paused.profileId))('/me/overview');
  expect(data).toMatchObject({ programCount: 2, activeProgramCount: 0, availableEarnings: 2_000 });
});

test('without sales, all amounts are zero', async () => {
  const person = makePerson(api);
  const { profileId } = await person.join();
  const { data } = await (await person.call(profileId))('/me/overview');
  expect(data).toMatchObject({ totalEarnings: 0, currency: 'usd', byCurrency: [{ currency: 'usd', totalEarnings: 0 }] });
});

test("another person's money is never included", async () => {
  const theirs = await makePayable(api);
  const person = makePerson(api);
  const { profileId } = await person.joinProgram(theirs.program);
  const key = await makeAffiliateKey(api.runtime, profileId);
  const { data } = await api.call('GET', '/me/overview', { key });
  expect(data).toMatchObject({ totalEarnings: 0, programCount: 1, programStats: [{ totalConversions: 0, totalRevenue: 0 }] });
});
