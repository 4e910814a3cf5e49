import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { createLink, makeMember } from './support.ts';

const api = useTestApi();

const list = (key: string, affiliateId: string) => api.call('GET', `/affiliates/${affiliateId}/links`, { key });

test('IN4: a merchant lists the links of an affiliate, newest first, as the affiliate does', async () => {
  const own = await makeMember(api);
  const made = await createLink(api, own.key);
  const listed = await list(own.merchantKey, own.affiliateId);
  expect(listed).toMatchObject({ status: 200, data: [made.data, { name: 'Default link' }] });
  expect(listed.data).toEqual((await api.call('GET', '/me/links', { key: own.key })).data);
});

test('IN4: links of the affiliates of others are 403, of nobody 404', async () => {
  const own = await makeMember(api);
  const other = await makeMerchant(api.runtime);
  expect((await list(other.key, own.affiliateId)).status).toBe(403);
  expect((await list(own.key, own.affiliateId)).status).toBe(403);
  expect((await list(own.merchantKey, MISSING_ID)).status).toBe(404);
});
