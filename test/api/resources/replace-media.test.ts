import { useTestApi } from '../../support/api.ts';
import {
  ABSENT,
  addMedia,
  conflictOf,
  filesOf,
  makeOwner,
  makeResource,
  makeUpload,
  openUpload,
  type Upload,
} from './support.ts';

const api = useTestApi();

const makeMedia = async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const [media, other] = [await addMedia(api, owner, post), await addMedia(api, owner, post)];
  const replace = (mediaId: string, upload: Upload, more: Record<string, unknown> = {}) =>
    api.call('POST', `/marketing-resources/social-posts/${post}/media/${mediaId}/replace`, {
      key: owner.key,
      body: { program_id: owner.programId, ...upload.body, ...more },
    });
  return { owner, post, media, other, replace };
};

it('keeps the id, the place and the alternative text, and discards the file before', async () => {
  const { owner, post, media, other, replace } = await makeMedia();
  const path = `/marketing-resources/social-posts/${post}/media/${media}`;
  await api.call('PATCH', path, { key: owner.key, body: { program_id: owner.programId, alt_text: 'Old' } });
  const video = await makeUpload(api, owner, post, { mimeType: 'video/mp4', fileName: 'launch.mp4', size: 500 });
  const replaced = await replace(media, video);
  expect(replaced).toMatchObject({
    status: 200,
    data: {
      media: [
        { id: media, file_name: 'launch.mp4', mime_type: 'video/mp4', file_size_bytes: 500, alt_text: 'Old', sort_order: 0 },
        { id: other },
      ],
    },
  });
  expect((await filesOf(api, owner.merchantId)).map(({ status }) => status)).toEqual(['discarded', 'in_use', 'in_use']);
});

it('changes place and alternative text when they are given', async () => {
  const { owner, post, media, other, replace } = await makeMedia();
  const replaced = await replace(media, await makeUpload(api, owner, post), { alt_text: null, sort_order: 5 });
  expect(replaced.data.media).toMatchObject([{ id: other }, { id: media, alt_text: null, sort_order: 5 }]);
});

it('media of a full post can be replaced', async () => {
  const { owner, post, media, replace } = await makeMedia();
  for (let n = 0; n < 8; n++) await addMedia(api, owner, post);
  expect((await replace(media, await makeUpload(api, owner, post))).status).toBe(200);
});

it('responds 404 for a missing media, 409 for an upload that cannot be used, and nothing is discarded', async () => {
  const { owner, post, media, replace } = await makeMedia();
  const upload = await makeUpload(api, owner, post);
  expect((await replace(ABSENT, upload)).status).toBe(404);
  expect(await replace(media, await openUpload(api, owner, post))).toMatchObject(conflictOf(409, 'UPLOAD_INCOMPLETE'));
  const statuses = (await filesOf(api, owner.merchantId)).map(({ status }) => status);
  expect(statuses).toEqual(['in_use', 'in_use', 'received', 'expected']);
  expect((await replace(media, upload)).status).toBe(200);
  expect(await replace(media, upload)).toMatchObject(conflictOf(409, 'UPLOAD_COMPLETED'));
});
