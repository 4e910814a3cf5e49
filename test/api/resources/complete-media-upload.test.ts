import { randomUUID } from 'node:crypto';
import { MAX_VIDEO_BYTES } from '../../../src/contracts/limits.ts';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { addMedia, complete, conflictOf, fieldError, makeOwner, makeResource, makeUpload, openUpload } from './support.ts';

const api = useTestApi();

const makePost = async () => {
  const owner = await makeOwner(api);
  return { owner, post: await makeResource(api, owner) };
};

it('adds the file to the post, after the others or where it is told', async () => {
  const { owner, post } = await makePost();
  const first = await complete(api, owner, post, await makeUpload(api, owner, post), { alt_text: 'A dashboard' });
  expect(first.status).toBe(200);
  expect(first.data.media).toEqual([
    {
      id: expect.any(String),
      file_name: 'launch.png',
      mime_type: 'image/png',
      file_size_bytes: 200,
      alt_text: 'A dashboard',
      sort_order: 0,
      created_at: expect.any(String),
    },
  ]);
  const second = await complete(api, owner, post, await makeUpload(api, owner, post, { fileName: 'b.png' }));
  const third = await complete(api, owner, post, await makeUpload(api, owner, post, { fileName: 'c.png' }), { sort_order: 0 });
  expect(second.data.media.map((media: { sort_order: number }) => media.sort_order)).toEqual([0, 1]);
  expect(third.data.media.map((media: { file_name: string }) => media.file_name)).toEqual(['launch.png', 'c.png', 'b.png']);
});

it('responds 409 POST_FULL for the eleventh file, also for two requests at once', async () => {
  const { owner, post } = await makePost();
  for (let n = 0; n < 9; n++) await addMedia(api, owner, post);
  const uploads = [await makeUpload(api, owner, post), await makeUpload(api, owner, post), await makeUpload(api, owner, post)];
  const made = await Promise.all(uploads.map((upload) => complete(api, owner, post, upload)));
  expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(await complete(api, owner, post, await makeUpload(api, owner, post))).toMatchObject(conflictOf(409, 'POST_FULL'));
});

it('responds 409 POST_FULL beyond 500 MB; the upload can still be used', async () => {
  const { owner, post } = await makePost();
  for (let n = 0; n < 2; n++) await addMedia(api, owner, post);
  const sizes = `update stored_file set byte_size = ? where status = 'in_use' and merchant_id = ? returning id`;
  await rowsOf(api, sizes, [MAX_VIDEO_BYTES + 50 * 1_048_576, owner.merchantId]);
  const upload = await makeUpload(api, owner, post);
  expect(await complete(api, owner, post, upload)).toMatchObject(conflictOf(409, 'POST_FULL'));
  await rowsOf(api, sizes, [MAX_VIDEO_BYTES, owner.merchantId]);
  expect((await complete(api, owner, post, upload)).status).toBe(200);
});

it('responds 409 for an upload that is in use, incomplete, or of another post', async () => {
  const { owner, post } = await makePost();
  const used = await makeUpload(api, owner, post);
  await complete(api, owner, post, used);
  expect(await complete(api, owner, post, used)).toMatchObject(conflictOf(409, 'UPLOAD_COMPLETED'));
  expect(await complete(api, owner, post, await openUpload(api, owner, post))).toMatchObject(
    conflictOf(409, 'UPLOAD_INCOMPLETE'),
  );
  const other = await makeUpload(api, owner, await makeResource(api, owner));
  expect(await complete(api, owner, post, other)).toMatchObject(conflictOf(409, 'UPLOAD_EXPIRED'));
});

it('responds 409 UPLOAD_EXPIRED an hour after the file was received', async () => {
  const { owner, post } = await makePost();
  const upload = await makeUpload(api, owner, post);
  await rowsOf(api, `update stored_file set expires_at = now() - interval '1 second' where merchant_id = ? returning id`, [
    owner.merchantId,
  ]);
  expect(await complete(api, owner, post, upload)).toMatchObject(conflictOf(409, 'UPLOAD_EXPIRED'));
});

it('responds 422 for a token that was not issued, and for a bad place or text', async () => {
  const { owner, post } = await makePost();
  const upload = await makeUpload(api, owner, post);
  expect(await complete(api, owner, post, upload, { upload_token: 'x.y' })).toMatchObject(fieldError('upload_token'));
  expect(await complete(api, owner, post, upload, { sort_order: -1 })).toMatchObject(fieldError('sort_order'));
  expect(await complete(api, owner, post, upload, { alt_text: 'a\u0000' })).toMatchObject(fieldError('alt_text'));
  expect(await complete(api, owner, post, upload, { file_name: '' })).toMatchObject(fieldError('file_name'));
});

it('a retry with the same Idempotency-Key adds the file once', async () => {
  const { owner, post } = await makePost();
  const { body } = await makeUpload(api, owner, post);
  const headers = { 'idempotency-key': randomUUID() };
  const path = `/marketing-resources/social-posts/${post}/media/complete`;
  const send = () => api.call('POST', path, { key: owner.key, body: { program_id: owner.programId, ...body }, headers });
  const first = await send();
  expect((await send()).text).toBe(first.text);
  expect(first.data.media).toHaveLength(1);
});
