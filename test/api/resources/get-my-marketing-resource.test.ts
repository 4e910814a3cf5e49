import { useTestApi } from '../../support/api.ts';
import { ABSENT, act, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const get = ({ affiliateKey }: Owner, id: string, query: Record<string, string>) =>
  api.call('GET', `/me/marketing-resources/${id}`, { key: affiliateKey, query });

it('returns a published resource', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  const found = await get(owner, id, { program_id: owner.programId });
  expect(found).toMatchObject({ status: 200, data: { id, body: 'Try {{program_name}}: {{affiliate_link}}' } });
});

it('responds 404 for a draft, for an archived one, and for one of an archived program', async () => {
  const owner = await makeOwner(api);
  const query = { program_id: owner.programId };
  const [draft, archived, published] = [
    await makeResource(api, owner),
    await makeResource(api, owner),
    await makeResource(api, owner, 'social_post', { status: 'published' }),
  ];
  await act(api, owner, archived, 'archive');
  expect([(await get(owner, draft, query)).status, (await get(owner, archived, query)).status]).toEqual([404, 404]);
  await api.call('DELETE', `/programs/${owner.programId}`, { key: owner.key });
  expect((await get(owner, published, query)).status).toBe(404);
});

it('responds 404 for a missing program, 403 for one that was not joined, and 400 without a program', async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  expect((await get(owner, id, { program_id: ABSENT })).status).toBe(404);
  expect((await get(owner, id, { program_id: other.programId })).status).toBe(403);
  expect((await get(owner, id, {})).status).toBe(400);
});

it('responds 403 for a blocked affiliate', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  await api.call('POST', `/affiliates/${owner.affiliateId}/block`, { key: owner.key, body: {} });
  expect((await get(owner, id, { program_id: owner.programId })).status).toBe(403);
});
