import { useTestApi } from '../../support/api.ts';
import { act, create, makeFile, makeOwner } from './support.ts';

const api = useTestApi();

it('returns a resource of any status', async () => {
  const owner = await makeOwner(api);
  const { data } = await create(api, owner, 'swipe_copy');
  const get = async () => (await api.call('GET', `/marketing-resources/${data.id}`, { key: owner.key })).data;
  expect(await get()).toEqual(data);
  await act(api, owner, data.id, 'archive');
  expect(await get()).toMatchObject({ id: data.id, status: 'archived' });
});

it('returns the file of a file', async () => {
  const owner = await makeOwner(api);
  const id = await makeFile(api, owner);
  expect((await api.call('GET', `/marketing-resources/${id}`, { key: owner.key })).data).toMatchObject({
    kind: 'file',
    media: [{ file_name: 'guide.pdf', mime_type: 'application/pdf', file_size_bytes: 200 }],
  });
});
