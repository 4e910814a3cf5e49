import { useTestApi } from '../../support/api.ts';
import { makePerson, sell } from './support.ts';

const api = useTestApi();

test('the programs of the person are listed with their numbers, newest first', async () => {
  const person = makePerson(api);
  const first = await person.join({ name: 'First', description: 'For bloggers', portalSlug: null });
  const second = await person.join({ name: 'Second', currency: 'eur' });
  await sell(api, first);
  const response = await (await person.call(first.profileId))('/me/programs');
  expect(response.meta.total).toBeUndefined();
  expect(response.data).toEqual([
    expect.objectContaining({ programId: second.programId, programName: 'Second', currency: 'eur', totalConversions: 0 }),
    {
      affiliateId: first.affiliateId,
      programId: first.programId,
      programName: 'First',
      programDescription: 'For bloggers',
      companyName: expect.stringMatching(/^Company /),
      portalSlug: null,
      portalName: null,
      portalTheme: null,
      portalLogo: null,
      marketplaceLogoUrl: null,
      commissionType: 'recurring',
      commissionPercent: 20,
      currency: 'usd',
      code: first.code,
      isApproved: true,
      isBlocked: false,
      totalClicks: 0,
      totalConversions: 1,
      totalRevenue: 10_000,
      totalCommission: 2_000,
      totalLeads: 0,
      totalCustomers: 1,
      totalPaidOut: 0,
      createdAt: expect.any(String),
    },
  ]);
});

test("the percent is the person's own, and a block is shown without its reason", async () => {
  const person = makePerson(api);
  const { key, affiliateId, profileId } = await person.join();
  await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { commissionPercent: 32.5 } });
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key, body: { reason: 'Bids on our brand' } });
  const response = await (await person.call(profileId))('/me/programs');
  expect(response.data).toEqual([expect.objectContaining({ commissionPercent: 32.5, isApproved: false, isBlocked: true })]);
  expect(response.text).not.toContain('Bids on our brand');
});
