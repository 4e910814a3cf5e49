import { useTestApi } from '../../support/api.ts';
import { apply, makeApplication } from '../../support/applications.ts';
import { makeAffiliateKey } from '../../support/factories.ts';
import { DECISIONS, decide, MISSING } from './support.ts';

const api = useTestApi();

const makeOwn = async () => {
  const own = await makeApplication(api);
  const affiliateKey = await makeAffiliateKey(api.runtime, own.profileId);
  const withdraw = (id = own.applicationId, body?: unknown) =>
    api.call('POST', `/me/applications/${id}/withdraw`, { key: affiliateKey, body });
  return { ...own, withdraw };
};

it('withdraws, and the person may apply again at once', async () => {
  const { withdraw, ...own } = await makeOwn();
  expect(await withdraw()).toMatchObject({
    status: 200,
    data: { id: own.applicationId, status: 'withdrawn', decidedAt: expect.any(String), reapplyAt: null },
  });
  expect((await api.call('GET', `/applications/${own.applicationId}`, { key: own.key })).data.status).toBe('withdrawn');
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  expect(await apply(ctx, own.programId, { profileId: own.profileId })).toMatchObject({ status: 'pending' });
});

it.each(DECISIONS)('409 ALREADY_DECIDED after %s, and the decision stands', async (decision) => {
  const { withdraw, ...own } = await makeOwn();
  const { status } = (await decide(api, own, decision)).data;
  expect(await withdraw()).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'ALREADY_DECIDED', status } },
  });
  expect((await api.call('GET', `/applications/${own.applicationId}`, { key: own.key })).data.status).toBe(status);
});

it('409 ALREADY_DECIDED the second time', async () => {
  const { withdraw } = await makeOwn();
  await withdraw();
  expect(await withdraw()).toMatchObject({ status: 409, error: { details: { reason: 'ALREADY_DECIDED', status: 'withdrawn' } } });
});

it("404 for a missing application, 403 for another person's, 400 for a body", async () => {
  const { withdraw } = await makeOwn();
  const other = await makeApplication(api);
  expect((await withdraw(MISSING)).status).toBe(404);
  expect((await withdraw(other.applicationId)).status).toBe(403);
  expect(await withdraw(undefined, { note: 'x' })).toMatchObject({
    status: 400,
    error: { details: { reason: 'BODY_NOT_ALLOWED' } },
  });
});
