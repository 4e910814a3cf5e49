import { useTestApi } from '../../support/api.ts';
import { ABSENT, addMedia, fieldError, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

const makeMedia = async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const update = (mediaId: string, body: Record<string, unknown>) =>
    api.call('PATCH', `/marketing-resources/social-posts/${post}/media/${mediaId}`, {
      key: owner.key,
      body: { program_id: owner.programId, ...body },
    });
  return { owner, post, media: await addMedia(api, owner, post), update };
};

it('changes the alternative text, removes it with null, and leaves it when nothing is given', async () => {
  const { media, update } = await makeMedia();
  const changed = await update(media, { alt_text: 'Ein Bild 🖼️' });
  expect(changed).toMatchObject({ status: 200, data: { kind: 'social_post', media: [{ id: media, alt_text: 'Ein Bild 🖼️' }] } });
  expect((await update(media, {})).data).toEqual(changed.data);
  expect((await update(media, { alt_text: null })).data.media[0].alt_text).toBeNull();
});

it('responds 404 for media of another post and for a missing one, 422 for bad text', async () => {
  const { owner, media, update } = await makeMedia();
  const other = await addMedia(api, owner, await makeResource(api, owner));
  for (const id of [other, ABSENT]) expect((await update(id, { alt_text: 'x' })).status).toBe(404);
  expect(await update(media, { alt_text: 'a'.repeat(1_001) })).toMatchObject(fieldError('alt_text'));
  expect(await update(media, { file_name: 'x' })).toMatchObject(fieldError('file_name'));
});
