import type { ResourceKind } from '../../../src/contracts/resources.ts';
import type { TestApi, TestResponse } from '../../support/api.ts';
import { anyAddress, toTestResponse } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

export const ABSENT = '0198f1c2-7a4e-7c31-9f0a-000000000000';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const box = (brand: string): Buffer => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0${brand}isom`, 'latin1');
const WEBM = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701000000', 'hex');

/** The beginning of a real file of each type. */
const HEADS: Readonly<Record<string, Buffer>> = {
  'image/png': PIXEL,
  'image/jpeg': Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  'image/gif': Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
  'image/webp': Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'),
  'video/mp4': box('mp42'),
  'video/quicktime': box('qt  '),
  'video/webm': WEBM,
  'application/pdf': Buffer.from('%PDF-1.7\n'),
};

export const TYPES = Object.keys(HEADS);

/** A file of a type with exactly so many bytes. */
export const fileOf = (mimeType: string, size = 200): Buffer => {
  const head = HEADS[mimeType] ?? Buffer.alloc(0);
  return Buffer.concat([head, Buffer.alloc(Math.max(size - head.length, 0), 0x20)]).subarray(0, size);
};

export interface Owner {
  merchantId: string;
  key: string;
  programId: string;
  /** Key of a person in the program. */
  affiliateKey: string;
  affiliateId: string;
  code: string;
}

/** A merchant of the highest tier with a program and one affiliate. */
export const makeOwner = async (api: TestApi, tier = 'pro', program: Record<string, unknown> = {}): Promise<Owner> => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  await rowsOf(api, 'update merchant set billing_tier = ? where id = ? returning id', [tier, merchantId]);
  const { programId } = await makeProgram(api, key, program);
  const { affiliateId, profileId, code } = await makeAffiliate(api.runtime, programId);
  return { merchantId, key, programId, affiliateId, code, affiliateKey: await makeAffiliateKey(api.runtime, profileId) };
};

type Body = Record<string, unknown>;

export const POST = { title: 'Launch', body: 'Try {{program_name}}: {{affiliate_link}}', platforms: ['x'] };

const PATHS: Readonly<Record<Exclude<ResourceKind, 'file'>, [path: string, body: Body]>> = {
  collection: ['collections', { title: 'Launch' }],
  social_post: ['social-posts', POST],
  swipe_copy: ['swipe-copy', { title: 'Newsletter', body: 'Use {{affiliate_code}}' }],
  external_link: ['links', { title: 'Press kit', url: 'https://acme.example/press' }],
};

export const create = (
  api: TestApi,
  { key, programId }: Pick<Owner, 'key' | 'programId'>,
  kind: Exclude<ResourceKind, 'file'>,
  more: Body = {},
): Promise<TestResponse> => {
  const [path, body] = PATHS[kind];
  return api.call('POST', `/programs/${programId}/marketing-resources/${path}`, { key, body: { ...body, ...more } });
};

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
const created = (response: TestResponse): any => {
  if (response.status >= 300) throw new Error(`not created: ${response.text}`);
  return response.data;
};

export const makeResource = async (
  api: TestApi,
  owner: Pick<Owner, 'key' | 'programId'>,
  kind: Exclude<ResourceKind, 'file'> = 'social_post',
  more: Body = {},
): Promise<string> => created(await create(api, owner, kind, more)).id;

/** Sends bytes to a signed URL, as a browser or curl does. */
export const put = async (
  api: TestApi,
  signedUrl: string,
  bytes: Buffer,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  toTestResponse(
    await api.app.inject({
      method: 'PUT',
      url: new URL(signedUrl).pathname,
      remoteAddress: anyAddress(),
      headers: { 'content-type': 'image/png', ...headers },
      payload: bytes,
    }),
  );

export interface Upload {
  session: { upload_path: string; upload_token: string; signed_url: string };
  /** The form that `complete`, `replace` and the creation of a file expect. */
  body: { upload_path: string; upload_token: string; file_name: string };
}

export const openUpload = async (
  api: TestApi,
  { key, programId }: Pick<Owner, 'key' | 'programId'>,
  postId: string | null,
  file: { mimeType?: string; size?: number; fileName?: string } = {},
): Promise<Upload> => {
  const { mimeType = 'image/png', size = 200, fileName = 'launch.png' } = file;
  const facts = { file_name: fileName, mime_type: mimeType, file_size_bytes: size };
  const path =
    postId === null
      ? `/programs/${programId}/marketing-resources/files/upload-sessions`
      : `/marketing-resources/social-posts/${postId}/media/upload-sessions`;
  const session = created(
    await api.call('POST', path, { key, body: postId === null ? facts : { ...facts, program_id: programId } }),
  );
  const { upload_path, upload_token } = session;
  return { session, body: { upload_path, upload_token, file_name: fileName } };
};

/** An upload session whose file was received. */
export const makeUpload = async (...[api, owner, postId, file = {}]: Parameters<typeof openUpload>): Promise<Upload> => {
  const upload = await openUpload(api, owner, postId, file);
  const { mimeType = 'image/png', size = 200 } = file;
  created(await put(api, upload.session.signed_url, fileOf(mimeType, size), { 'content-type': mimeType }));
  return upload;
};

export const complete = async (
  api: TestApi,
  { key, programId }: Pick<Owner, 'key' | 'programId'>,
  postId: string,
  upload: Upload,
  more: Body = {},
): Promise<TestResponse> =>
  api.call('POST', `/marketing-resources/social-posts/${postId}/media/complete`, {
    key,
    body: { program_id: programId, ...upload.body, ...more },
  });

/** Adds an image to a post and returns its id. */
export const addMedia = async (
  api: TestApi,
  owner: Pick<Owner, 'key' | 'programId'>,
  postId: string,
  fileName = 'launch.png',
): Promise<string> => {
  const post = created(await complete(api, owner, postId, await makeUpload(api, owner, postId, { fileName })));
  return post.media.at(-1).id;
};

export const makeFile = async (
  api: TestApi,
  { key, programId }: Pick<Owner, 'key' | 'programId'>,
  more: Body = {},
): Promise<string> => {
  const { body } = await makeUpload(api, { key, programId }, null, { mimeType: 'application/pdf', fileName: 'guide.pdf' });
  return created(await api.call('POST', `/programs/${programId}/marketing-resources/files`, { key, body: { ...body, ...more } }))
    .id;
};

export const act = (
  api: TestApi,
  { key, programId }: Pick<Owner, 'key' | 'programId'>,
  id: string,
  verb: 'publish' | 'unpublish' | 'archive' | 'notify',
  more: Body = {},
): Promise<TestResponse> =>
  api.call('POST', `/marketing-resources/${id}/${verb}`, { key, body: { program_id: programId, ...more } });

export const list = async (
  api: TestApi,
  { key, programId }: Pick<Owner, 'key' | 'programId'>,
  query: Record<string, string> = {},
): Promise<string[]> => {
  const { data } = await api.call('GET', `/programs/${programId}/marketing-resources`, { key, query });
  return data.map(({ id }: { id: string }) => id);
};

export const conflictOf = (status: number, reason: string) => ({ status, error: { details: { reason } } });
export const fieldError = (path: string) => ({
  status: 422,
  error: { code: 'VALIDATION_ERROR', details: { issues: expect.arrayContaining([expect.objectContaining({ path })]) } },
});

/** Rows of the storage of a merchant by status. */
export const filesOf = async (api: TestApi, merchantId: string): Promise<{ id: string; status: string }[]> =>
  rowsOf(api, 'select id, status from stored_file where merchant_id = ? order by id', [merchantId]);
