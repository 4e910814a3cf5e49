import { DAY_MS } from '../../../src/platform/clock.ts';
import { useTestApi } from '../../support/api.ts';
import { apply, makeApplication } from '../../support/applications.ts';
import { makeAffiliateKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { decide } from './support.ts';

const api = useTestApi();

/** A person with an application to each of two programs, the first declined. */
const makeTwo = async () => {
  const own = await makeApplication(api, { message: 'Hello' });
  await decide(api, own, 'decline', { note: 'Secret of the merchant' });
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key, { name: 'Second program' });
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const second = await apply(ctx, programId, { profileId: own.profileId });
  const key = await makeAffiliateKey(api.runtime, own.profileId);
  const list = (query: Record<string, string> = {}) => api.call('GET', '/me/applications', { key, query });
  return { own, second, programId, list };
};

it("lists the person's applications to all programs, newest first, without the merchant's notes", async () => {
  const { own, second, programId, list } = await makeTwo();
  const { status, data, meta, text } = await list();
  expect([status, meta.total]).toEqual([200, 2]);
  expect(data).toEqual([
    {
      id: second.applicationId,
      affiliateId: second.affiliateId,
      programId,
      programName: 'Second program',
      programStatus: 'active',
      status: 'pending',
      source: 'api',
      message: null,
      createdAt: expect.any(String),
      decidedAt: null,
      reapplyAt: null,
    },
    expect.objectContaining({ id: own.applicationId, status: 'declined', message: 'Hello' }),
  ]);
  expect(data[1].reapplyAt).toBe(new Date(Date.parse(data[1].decidedAt) + 30 * DAY_MS).toISOString());
  expect(text).not.toContain('Secret of the merchant');
  expect(text).not.toContain('riskNotes');
});

it('says that the program was archived while the application waits', async () => {
  const { key: merchantKey, programId, profileId } = await makeApplication(api);
  await api.call('DELETE', `/programs/${programId}`, { key: merchantKey });
  const key = await makeAffiliateKey(api.runtime, profileId);
  expect((await api.call('GET', '/me/applications', { key })).data).toMatchObject([
    { status: 'pending', programStatus: 'archived' },
  ]);
});

it('filters by status and pages', async () => {
  const { second, list } = await makeTwo();
  expect((await list({ status: 'pending' })).data).toMatchObject([{ id: second.applicationId }]);
  const first = await list({ limit: '1' });
  expect(first.meta).toMatchObject({ total: 2, hasMore: true });
  expect((await list({ limit: '1', cursor: first.meta.nextCursor })).data).toMatchObject([{ status: 'declined' }]);
});

it("another person's applications are not listed", async () => {
  await makeTwo();
  const { profileId, applicationId } = await makeApplication(api);
  const { data } = await api.call('GET', '/me/applications', { key: await makeAffiliateKey(api.runtime, profileId) });
  expect(data).toMatchObject([{ id: applicationId }]);
});

it.each<Record<string, string>>([{ status: 'open' }, { programId: 'x' }])('400 for %j', async (query) => {
  const { list } = await makeTwo();
  expect((await list(query)).status).toBe(400);
});
