import { useTestApi } from '../../support/api.ts';
import { act, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

it('makes a published resource a draft, which affiliates do not see, and the second call changes nothing', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner);
  const published = (await act(api, owner, id, 'publish')).data.resource;
  const first = await act(api, owner, id, 'unpublish');
  expect(first).toMatchObject({ status: 200, data: { id, status: 'draft', published_at: published.published_at } });
  expect((await act(api, owner, id, 'unpublish')).data).toEqual(first.data);
  const path = `/me/programs/${owner.programId}/marketing-resources`;
  expect((await api.call('GET', path, { key: owner.affiliateKey })).data).toEqual([]);
});

it('brings an archived resource back as a draft', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner);
  await act(api, owner, id, 'archive');
  expect((await act(api, owner, id, 'unpublish')).data).toMatchObject({ status: 'draft' });
});
