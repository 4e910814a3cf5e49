import { MAX_FILE_BYTES, MAX_OPEN_UPLOADS, MAX_VIDEO_BYTES, STORAGE_BYTES } from '../../../src/contracts/limits.ts';
import { MEDIA_TYPES } from '../../../src/contracts/resources.ts';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { conflictOf, fieldError, filesOf, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const FACTS = { file_name: 'launch.png', mime_type: 'image/png', file_size_bytes: 200 };
const open = ({ key, programId }: Owner, postId: string, more: Record<string, unknown> = {}) =>
  api.call('POST', `/marketing-resources/social-posts/${postId}/media/upload-sessions`, {
    key,
    body: { program_id: programId, ...FACTS, ...more },
  });

it('returns where to send the file', async () => {
  const owner = await makeOwner(api);
  const made = await open(owner, await makeResource(api, owner));
  expect(made.status).toBe(201);
  const { upload_token } = made.data;
  expect(made.data).toEqual({
    bucket: 'marketing-resources',
    upload_path: expect.stringMatching(new RegExp(`^${owner.programId}/[0-9a-f-]{36}$`)),
    upload_token: expect.stringMatching(/^[\w-]+\.[0-9a-f]{32}$/),
    signed_url: `http://127.0.0.1:3000/files/uploads/${upload_token}`,
    expires_in_seconds: 3600,
  });
});

it('accepts images up to 50 MB and videos up to 200 MB', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  for (const mime_type of MEDIA_TYPES) {
    const file_size_bytes = mime_type.startsWith('video') ? MAX_VIDEO_BYTES : MAX_FILE_BYTES;
    expect((await open(owner, post, { mime_type, file_size_bytes })).status).toBe(201);
    expect(await open(owner, post, { mime_type, file_size_bytes: file_size_bytes + 1 })).toMatchObject(
      fieldError('file_size_bytes'),
    );
  }
});

it.each([
  ['mime_type', { mime_type: 'application/pdf' }],
  ['mime_type', { mime_type: 'image/svg+xml' }],
  ['mime_type', { mime_type: 'text/html' }],
  ['file_size_bytes', { file_size_bytes: 0 }],
  ['file_size_bytes', { file_size_bytes: 1.5 }],
  ['file_name', { file_name: 'a\r\nX: y' }],
  ['file_name', { file_name: 'a'.repeat(256) }],
])('422 for %s: %j', async (path, more) => {
  const owner = await makeOwner(api);
  expect(await open(owner, await makeResource(api, owner), more)).toMatchObject(fieldError(path));
  expect(await filesOf(api, owner.merchantId)).toEqual([]);
});

it('responds 404 for a resource that is no post', async () => {
  const owner = await makeOwner(api);
  expect((await open(owner, await makeResource(api, owner, 'swipe_copy'))).status).toBe(404);
});

it('responds 409 STORAGE_LIMIT_REACHED when the file does not fit with what is stored and expected, also for two requests at once', async () => {
  const owner = await makeOwner(api, 'free');
  const post = await makeResource(api, owner);
  for (let n = 0; n < 4; n++) await open(owner, post, { file_size_bytes: MAX_FILE_BYTES });
  const left = STORAGE_BYTES.free - 4 * MAX_FILE_BYTES;
  const opened = await Promise.all([1, 2, 3].map(() => open(owner, post, { file_size_bytes: left })));
  expect(opened.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const refused = await open(owner, post, { file_size_bytes: 1 });
  expect(refused).toMatchObject(conflictOf(409, 'STORAGE_LIMIT_REACHED'));
  expect(refused.error.details).toMatchObject({ used: STORAGE_BYTES.free, limit: STORAGE_BYTES.free });
  await rowsOf(api, `update stored_file set status = 'discarded' where merchant_id = ? returning id`, [owner.merchantId]);
  expect((await open(owner, post)).status).toBe(201);
});

it('responds 409 TOO_MANY_UPLOADS for more open sessions than 50', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  await open(owner, post);
  await rowsOf(
    api,
    `insert into stored_file (id, merchant_id, program_id, mime_type, byte_size, status, expires_at, created_at, updated_at)
     select gen_random_uuid(), merchant_id, program_id, mime_type, 1, 'expected', expires_at, created_at, updated_at
     from stored_file, generate_series(2, ?) where merchant_id = ? returning id`,
    [MAX_OPEN_UPLOADS, owner.merchantId],
  );
  expect(await open(owner, post)).toMatchObject(conflictOf(409, 'TOO_MANY_UPLOADS'));
});
