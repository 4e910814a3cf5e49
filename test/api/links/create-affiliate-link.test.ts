import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { anySlug, block, listLinks, makeMember } from './support.ts';

const api = useTestApi();

const create = (key: string, affiliateId: string, body: unknown = { name: 'Newsletter' }) =>
  api.call('POST', `/affiliates/${affiliateId}/links`, { key, body });

test('IN4: a merchant creates a link for an affiliate, and both see it', async () => {
  const own = await makeMember(api);
  const customSlug = anySlug();
  const made = await create(own.merchantKey, own.affiliateId, { name: 'Newsletter', destinationPath: '/pricing', customSlug });
  const data = {
    affiliateId: own.affiliateId,
    programId: own.programId,
    code: customSlug,
    targetUrl: 'https://www.acme.example/pricing',
  };
  expect(made).toMatchObject({ status: 201, data });
  const listed = await api.call('GET', `/affiliates/${own.affiliateId}/links`, { key: own.merchantKey });
  expect(listed.data[0]).toEqual(made.data);
  expect(listed.data).toHaveLength(2);
  expect((await listLinks(api, own.key)).data).toEqual([made.data]);
});

test('IN4: links of others are 403, of nobody 404, and a taken code is 409', async () => {
  const own = await makeMember(api);
  const other = await makeMerchant(api.runtime);
  expect((await create(other.key, own.affiliateId)).status).toBe(403);
  expect((await api.call('GET', `/affiliates/${own.affiliateId}/links`, { key: other.key })).status).toBe(403);
  expect((await create(own.merchantKey, MISSING_ID)).status).toBe(404);
  expect((await create(own.key, own.affiliateId)).status).toBe(403);
  const second = await makeAffiliate(api.runtime, own.programId);
  const customSlug = anySlug();
  expect((await create(own.merchantKey, second.affiliateId, { name: 'First', customSlug })).status).toBe(201);
  const taken = await create(own.merchantKey, own.affiliateId, { name: 'Second', customSlug });
  expect(taken).toMatchObject({ status: 409, error: { details: { reason: 'CODE_TAKEN' } } });
  expect((await listLinks(api, own.key)).data).toEqual([]);
});

test('IN4: no link of a blocked affiliate, and several at once', async () => {
  const own = await makeMember(api);
  const made = await Promise.all(Array.from({ length: 3 }, () => create(own.merchantKey, own.affiliateId)));
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  await block(api, own);
  expect((await create(own.merchantKey, own.affiliateId)).error.details.reason).toBe('AFFILIATE_BLOCKED');
});

test.each<[string, unknown]>([
  ['destinationPath', { name: 'x', destinationPath: '/not-allowed' }],
  ['customSlug', { name: 'x', customSlug: 'A' }],
  ['name', {}],
])('IN4: 422 names %s', async (path, body) => {
  const own = await makeMember(api);
  const refused = await create(own.merchantKey, own.affiliateId, body);
  expect(refused).toMatchObject({ status: 422, error: { details: { issues: [expect.objectContaining({ path })] } } });
});
