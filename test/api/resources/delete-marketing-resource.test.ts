import { useTestApi } from '../../support/api.ts';
import { addMedia, complete, filesOf, list, makeOwner, makeResource, makeUpload, type Owner, openUpload } from './support.ts';

const api = useTestApi();

const remove = ({ key, programId }: Owner, id: string) =>
  api.call('DELETE', `/marketing-resources/${id}`, { key, body: { program_id: programId } });

it('returns the resource as it was, discards its files, and responds 404 from then on', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const media = [await addMedia(api, owner, post), await addMedia(api, owner, post)];
  const removed = await remove(owner, post);
  expect(removed).toMatchObject({ status: 200, data: { id: post, media: media.map((id) => ({ id })) } });
  expect((await filesOf(api, owner.merchantId)).map(({ status }) => status)).toEqual(['discarded', 'discarded']);
  expect((await remove(owner, post)).status).toBe(404);
  expect(await list(api, owner)).toEqual([]);
});

it('what is in a deleted collection stays', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection');
  const post = await makeResource(api, owner, 'social_post', { collection_id });
  expect((await remove(owner, collection_id)).status).toBe(200);
  expect((await api.call('GET', `/marketing-resources/${post}`, { key: owner.key })).data.collection_id).toBeNull();
});

it('an upload for a deleted post cannot be used', async () => {
  const owner = await makeOwner(api);
  const [post, other] = [await makeResource(api, owner), await makeResource(api, owner)];
  const uploads = [await makeUpload(api, owner, post), await openUpload(api, owner, post)];
  await remove(owner, post);
  for (const upload of uploads) {
    expect((await complete(api, owner, post, upload)).status).toBe(404);
    expect((await complete(api, owner, other, upload)).status).toBe(409);
  }
});
