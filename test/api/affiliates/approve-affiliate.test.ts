import { useTestApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';

const api = useTestApi();
const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

const approve = (key: string, id: string) => api.call('POST', `/affiliates/${id}/approve`, { key });

it('returns an affiliate, who is approved already', async () => {
  const { key, affiliateId } = await makeApplication(api, { skipReview: true });
  const approved = await approve(key, affiliateId);
  expect(approved.status).toBe(200);
  const single = (await api.call('GET', `/affiliates/${affiliateId}`, { key })).data;
  expect({ ...approved.data, payoutDetails: null }).toEqual(single);
});

it('409 AFFILIATE_BLOCKED for a blocked one, who stays blocked', async () => {
  const { key, affiliateId } = await makeApplication(api, { skipReview: true });
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect(await approve(key, affiliateId)).toMatchObject({ status: 409, error: { details: { reason: 'AFFILIATE_BLOCKED' } } });
  expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data.status).toBe('blocked');
});

it('404 for an applicant and a missing affiliate, 403 for that of another merchant', async () => {
  const own = await makeApplication(api);
  const other = await makeApplication(api, { skipReview: true });
  const statusOf = async (id: string) => (await approve(own.key, id)).status;
  expect([await statusOf(own.affiliateId), await statusOf(MISSING), await statusOf(other.affiliateId)]).toEqual([404, 404, 403]);
});
