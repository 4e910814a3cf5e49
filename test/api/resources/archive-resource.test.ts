import { useTestApi } from '../../support/api.ts';
import { act, list, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

it('hides a resource from affiliates and from lists, and the second call changes nothing', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner);
  await act(api, owner, id, 'publish');
  const first = await act(api, owner, id, 'archive');
  expect(first).toMatchObject({ status: 200, data: { id, status: 'archived' } });
  expect((await act(api, owner, id, 'archive')).data).toEqual(first.data);
  expect(await list(api, owner)).toEqual([]);
  const query = { program_id: owner.programId };
  expect((await api.call('GET', `/me/marketing-resources/${id}`, { key: owner.affiliateKey, query })).status).toBe(404);
});
