import { useTestApi } from '../../support/api.ts';
import { act, makeFile, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const listMine = ({ affiliateKey, programId }: Owner, query: Record<string, string> = {}) =>
  api.call('GET', `/me/programs/${programId}/marketing-resources`, { key: affiliateKey, query });
const idsOf = async (owner: Owner, query?: Record<string, string>): Promise<string[]> =>
  (await listMine(owner, query)).data.map(({ id }: { id: string }) => id);

it('lists published resources only, newest first, by kind and search', async () => {
  const owner = await makeOwner(api);
  const published = { status: 'published' };
  const post = await makeResource(api, owner, 'social_post', published);
  const copy = await makeResource(api, owner, 'swipe_copy', published);
  const file = await makeFile(api, owner, published);
  await makeResource(api, owner);
  await act(api, owner, await makeResource(api, owner, 'external_link', published), 'archive');
  expect(await idsOf(owner)).toEqual([file, copy, post]);
  expect(await idsOf(owner, { kind: 'social_posts' })).toEqual([post]);
  expect(await idsOf(owner, { search: 'NEWS' })).toEqual([copy]);
  expect(await idsOf(owner, { limit: '1', offset: '1' })).toEqual([copy]);
});

it('shows the collection of a resource only if it is published too', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection');
  await makeResource(api, owner, 'social_post', { collection_id, status: 'published' });
  expect((await listMine(owner)).data).toMatchObject([{ collection_id: null }]);
  await act(api, owner, collection_id, 'publish');
  expect((await listMine(owner, { kind: 'social_posts' })).data).toMatchObject([{ collection_id }]);
});

it('shows nothing of an archived program', async () => {
  const owner = await makeOwner(api);
  await makeResource(api, owner, 'social_post', { status: 'published' });
  await api.call('DELETE', `/programs/${owner.programId}`, { key: owner.key });
  expect(await idsOf(owner)).toEqual([]);
});

it('responds 403 for a blocked affiliate', async () => {
  const owner = await makeOwner(api);
  await api.call('POST', `/affiliates/${owner.affiliateId}/block`, { key: owner.key, body: {} });
  expect(await listMine(owner)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});

it.each<Record<string, string>>([{ kind: 'drafts' }, { status: 'draft' }, { limit: '101' }, { page: '1' }])(
  '400 for %j',
  async (query) => {
    expect((await listMine(await makeOwner(api), query)).status).toBe(400);
  },
);
