import { useTestApi } from '../../support/api.ts';
import { makeProgram } from '../../support/factories.ts';
import {
  ABSENT,
  conflictOf,
  fieldError,
  filesOf,
  list,
  makeOwner,
  makeResource,
  makeUpload,
  type Owner,
  openUpload,
  type Upload,
} from './support.ts';

const api = useTestApi();

const createFile = (
  { key, programId }: Pick<Owner, 'key' | 'programId'>,
  { body }: Pick<Upload, 'body'>,
  more: Record<string, unknown> = {},
) => api.call('POST', `/programs/${programId}/marketing-resources/files`, { key, body: { ...body, ...more } });

it('makes an uploaded file a resource, named after the file', async () => {
  const owner = await makeOwner(api);
  const upload = await makeUpload(api, owner, null, { mimeType: 'application/pdf', fileName: 'Führer 🚀.pdf' });
  const collection_id = await makeResource(api, owner, 'collection');
  const made = await createFile(owner, upload, { collection_id, status: 'published' });
  expect(made).toMatchObject({
    status: 201,
    data: {
      kind: 'file',
      status: 'published',
      title: 'Führer 🚀.pdf',
      collection_id,
      media: [{ file_name: 'Führer 🚀.pdf', mime_type: 'application/pdf', file_size_bytes: 200, alt_text: null, sort_order: 0 }],
    },
  });
  expect(await filesOf(api, owner.merchantId)).toMatchObject([{ status: 'in_use' }]);
});

it('a title from a long file name ends with a whole character', async () => {
  const owner = await makeOwner(api);
  const fileName = `${'a'.repeat(199)}🚀.pdf`;
  const upload = await makeUpload(api, owner, null, { mimeType: 'application/pdf', fileName });
  const made = await createFile(owner, upload);
  expect(made).toMatchObject({ status: 201, data: { title: 'a'.repeat(199), media: [{ file_name: fileName }] } });
});

it('responds 409 UPLOAD_COMPLETED for the second use, also for two requests at once', async () => {
  const owner = await makeOwner(api);
  const upload = await makeUpload(api, owner, null);
  const made = await Promise.all([1, 2, 3].map(() => createFile(owner, upload)));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await createFile(owner, upload)).toMatchObject(conflictOf(409, 'UPLOAD_COMPLETED'));
  expect(await list(api, owner)).toHaveLength(1);
});

it('responds 409 UPLOAD_INCOMPLETE before the file was received', async () => {
  const owner = await makeOwner(api);
  expect(await createFile(owner, await openUpload(api, owner, null))).toMatchObject(conflictOf(409, 'UPLOAD_INCOMPLETE'));
  expect(await list(api, owner)).toEqual([]);
});

it('responds 409 UPLOAD_EXPIRED for an upload for a post, for another program, and of another merchant', async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const second = { key: owner.key, ...(await makeProgram(api, owner.key)) };
  const post = await makeResource(api, owner);
  for (const [from, postId] of [
    [owner, post],
    [second, null],
    [other, null],
  ] as const) {
    const upload = await makeUpload(api, from, postId);
    const { upload_token } = upload.body;
    const upload_path = `${owner.programId}/${upload.body.upload_path.split('/')[1]}`;
    expect(await createFile(owner, { body: { ...upload.body, upload_path, upload_token } })).toMatchObject(
      conflictOf(409, 'UPLOAD_EXPIRED'),
    );
  }
  expect(await list(api, owner)).toEqual([post]);
});

it('responds 422 for a token that was not issued, and for the path of another upload', async () => {
  const owner = await makeOwner(api);
  const upload = await makeUpload(api, owner, null);
  const { upload_token, upload_path } = upload.body;
  const [payload = '', signature = ''] = upload_token.split('.');
  const forged = [`${payload}.${'0'.repeat(32)}`, `${Buffer.from(ABSENT).toString('base64url')}.${signature}`, payload, 'x'];
  for (const token of forged)
    expect(await createFile(owner, upload, { upload_token: token })).toMatchObject(fieldError('upload_token'));
  const elsewhere = upload_path.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  expect(await createFile(owner, upload, { upload_path: elsewhere })).toMatchObject(fieldError('upload_path'));
  expect(await createFile(owner, upload, { upload_path: '../../etc/passwd' })).toMatchObject(fieldError('upload_path'));
  expect((await createFile(owner, upload)).status).toBe(201);
});
