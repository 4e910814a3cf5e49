import { useTestApi } from '../../support/api.ts';
import { addMedia, filesOf, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

it('removes the media once and discards its file', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const [media, kept] = [await addMedia(api, owner, post), await addMedia(api, owner, post)];
  const remove = (id: string) =>
    api.call('DELETE', `/marketing-resources/social-posts/${post}/media/${id}`, {
      key: owner.key,
      body: { program_id: owner.programId },
    });
  expect(await remove(media)).toMatchObject({ status: 200, data: { removed: true, media_id: media } });
  expect((await remove(media)).status).toBe(404);
  expect((await filesOf(api, owner.merchantId)).map(({ status }) => status)).toEqual(['discarded', 'in_use']);
  const { data } = await api.call('GET', `/marketing-resources/${post}`, { key: owner.key });
  expect(data.media.map(({ id }: { id: string }) => id)).toEqual([kept]);
});

it('one of several requests at once succeeds', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const path = `/marketing-resources/social-posts/${post}/media/${await addMedia(api, owner, post)}`;
  const remove = () => api.call('DELETE', path, { key: owner.key, body: { program_id: owner.programId } });
  expect((await Promise.all([remove(), remove(), remove()])).map(({ status }) => status).sort()).toEqual([200, 404, 404]);
});
