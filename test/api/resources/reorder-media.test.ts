import { useTestApi } from '../../support/api.ts';
import { ABSENT, addMedia, fieldError, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

const makeThree = async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const media = [await addMedia(api, owner, post), await addMedia(api, owner, post), await addMedia(api, owner, post)];
  const reorder = (media_ids: string[]) =>
    api.call('POST', `/marketing-resources/social-posts/${post}/media/reorder`, {
      key: owner.key,
      body: { program_id: owner.programId, media_ids },
    });
  const shown = async (): Promise<string[]> =>
    (await api.call('GET', `/marketing-resources/${post}`, { key: owner.key })).data.media.map(({ id }: { id: string }) => id);
  return { owner, media, reorder, shown };
};

it('returns the media in their new order', async () => {
  const { media, reorder, shown } = await makeThree();
  const [a = '', b = '', c = ''] = media;
  const reordered = await reorder([c, a, b]);
  expect(reordered).toMatchObject({
    status: 200,
    data: [
      { id: c, sort_order: 0 },
      { id: a, sort_order: 1 },
      { id: b, sort_order: 2 },
    ],
  });
  expect(await shown()).toEqual([c, a, b]);
  expect((await reorder([c, a, b])).data).toEqual(reordered.data);
});

it('responds 422 unless all media of the post are named once', async () => {
  const { owner, media, reorder, shown } = await makeThree();
  const [a = '', b = '', c = ''] = media;
  const foreign = await addMedia(api, owner, await makeResource(api, owner));
  for (const ids of [[], [a, b], [a, b, b], [a, b, c, c], [a, b, ABSENT], [a, b, c, foreign], [a, b, foreign]])
    expect(await reorder(ids)).toMatchObject(fieldError('media_ids'));
  expect(await shown()).toEqual(media);
});
