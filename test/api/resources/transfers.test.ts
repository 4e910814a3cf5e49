import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LIMITS } from '../../../src/api/hardening/limits.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { until } from '../../support/until.ts';
import {
  act,
  addMedia,
  complete,
  conflictOf,
  fileOf,
  filesOf,
  makeOwner,
  makeResource,
  makeUpload,
  type Owner,
  openUpload,
  put,
  TYPES,
} from './support.ts';

const api = useOwnApi();
beforeAll(() => api.app.listen({ host: '127.0.0.1', port: 0 }));

const statusOf = async (merchantId: string) => (await filesOf(api, merchantId))[0]?.status;
const makePost = async () => {
  const owner = await makeOwner(api);
  return { owner, post: await makeResource(api, owner) };
};

const READ_ZIP = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([[entry.filename, entry.file_size] for entry in archive.infolist()]))`;

/** Names and sizes of the entries, whose checksums another program has verified. */
const readZip = async (bytes: Buffer): Promise<[string, number][]> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-zip-'));
  try {
    await writeFile(join(folder, 'bundle.zip'), bytes);
    const { stdout } = await promisify(execFile)('python3', ['-c', READ_ZIP, join(folder, 'bundle.zip')]);
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

describe('uploads', () => {
  it.each(TYPES)('receives a file of the type %s once', async (mimeType) => {
    const owner = await makeOwner(api);
    const { session } = await openUpload(api, owner, null, { mimeType, size: 9_000 });
    const bytes = fileOf(mimeType, 9_000);
    const sent = await put(api, session.signed_url, bytes, { 'content-type': mimeType });
    expect(sent).toMatchObject({ status: 200, data: { file_size_bytes: 9_000 } });
    expect(await statusOf(owner.merchantId)).toBe('received');
    expect(await put(api, session.signed_url, bytes, { 'content-type': mimeType })).toMatchObject(
      conflictOf(409, 'ALREADY_UPLOADED'),
    );
  });

  const html = Buffer.from(`<html><script>alert(1)</script>${' '.repeat(200)}`).subarray(0, 200);
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>${' '.repeat(200)}`).subarray(0, 200);
  it.each<[string, Buffer, Record<string, string>]>([
    ['HTML as an image', html, {}],
    ['SVG as an image', svg, {}],
    ['another image type', fileOf('image/gif'), {}],
    ['a type that was not announced', fileOf('image/gif'), { 'content-type': 'image/gif' }],
    ['no type', fileOf('image/png'), { 'content-type': '' }],
    ['an encoded body', fileOf('image/png'), { 'content-encoding': 'gzip' }],
    ['too few bytes', fileOf('image/png', 199), {}],
    ['too many bytes', fileOf('image/png', 201), {}],
    ['nothing', Buffer.alloc(0), {}],
  ])('400 for %s; the right file can be sent afterwards', async (_what, bytes, headers) => {
    const { owner, post } = await makePost();
    const { session } = await openUpload(api, owner, post);
    expect(await put(api, session.signed_url, bytes, headers)).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
    expect(await statusOf(owner.merchantId)).toBe('expected');
    expect((await put(api, session.signed_url, fileOf('image/png'))).status).toBe(200);
  });

  it('responds 404 for a token that was not issued, 403 for an expired session', async () => {
    const { owner, post } = await makePost();
    const { session } = await openUpload(api, owner, post);
    for (const url of [session.signed_url.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'http://x/files/uploads/x.y'])
      expect((await put(api, url, fileOf('image/png'))).status).toBe(404);
    await rowsOf(api, `update stored_file set expires_at = now() - interval '1 second' where merchant_id = ? returning id`, [
      owner.merchantId,
    ]);
    expect(await put(api, session.signed_url, fileOf('image/png'))).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  });

  it('pages of every origin may send a file', async () => {
    const { owner, post } = await makePost();
    const { session } = await openUpload(api, owner, post);
    const origin = 'https://dashboard.acme.example';
    const headers = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };
    const url = new URL(session.signed_url).pathname;
    const preflight = await api.app.inject({ method: 'OPTIONS', url, headers, remoteAddress: anyAddress() });
    expect([preflight.statusCode, preflight.headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'PUT',
        'access-control-allow-headers': 'content-type',
      },
    ]);
    const sent = await put(api, session.signed_url, fileOf('image/gif'), { origin });
    expect(sent).toMatchObject({ status: 400, headers: { 'access-control-allow-origin': '*' } });
  });

  it('receives the file of one of several requests at once', async () => {
    const { owner, post } = await makePost();
    const { session } = await openUpload(api, owner, post);
    const sent = await Promise.all([1, 2, 3].map(() => put(api, session.signed_url, fileOf('image/png'))));
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  /** As a client does that sends while it waits for the response. */
  const send = (signedUrl: string, headers: Record<string, string | number>) => {
    const { port } = api.app.server.address() as AddressInfo;
    const request = httpRequest({ port, method: 'PUT', path: new URL(signedUrl).pathname, headers });
    request.on('error', () => {});
    return request;
  };

  it.each<[string, Record<string, string | number>]>([
    ['with an announced length', { 'content-length': 5_000_000 }],
    ['without one', { 'transfer-encoding': 'chunked' }],
  ])('a file of several megabytes is received as a stream, %s', async (_what, length) => {
    const { owner, post } = await makePost();
    const { session } = await openUpload(api, owner, post, { mimeType: 'video/mp4', size: 5_000_000 });
    const request = send(session.signed_url, { 'content-type': 'video/mp4', ...length });
    request.end(fileOf('video/mp4', 5_000_000));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await filesOf(api, owner.merchantId)).toMatchObject([{ status: 'received' }]);
  });

  it('a wrong file is refused while it is being sent', async () => {
    const { owner, post } = await makePost();
    const { session } = await openUpload(api, owner, post, { size: 5_000_000 });
    const request = send(session.signed_url, { 'content-type': 'image/png', 'content-length': 5_000_000 });
    request.write(Buffer.alloc(10_000, '<html>'));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(400);
    request.destroy();
  });

  it('a sender that hangs up leaves the session open', async () => {
    const { owner, post } = await makePost();
    const { session } = await openUpload(api, owner, post, { size: 100_000 });
    const request = send(session.signed_url, { 'content-type': 'image/png', 'content-length': 100_000 });
    request.write(fileOf('image/png', 50_000));
    await until(
      'the upload is being received',
      () => statusOf(owner.merchantId),
      (status) => status === 'receiving',
    );
    request.destroy();
    await until(
      'the upload is expected again',
      () => statusOf(owner.merchantId),
      (status) => status === 'expected',
    );
    expect((await put(api, session.signed_url, fileOf('image/png', 100_000))).status).toBe(200);
  });
});

describe('downloads', () => {
  const makeMedia = async (fileName = 'launch.png') => {
    const { owner, post } = await makePost();
    return { owner, post, media: await addMedia(api, owner, post, fileName) };
  };
  type Made = Awaited<ReturnType<typeof makeMedia>>;
  const urlOf = async (
    { owner }: Made,
    target: Record<string, string>,
    as: 'merchant' | 'affiliate' = 'merchant',
  ): Promise<string> => {
    const path = as === 'merchant' ? '/marketing-resources/download-url' : '/me/marketing-resources/download-url';
    const key = as === 'merchant' ? owner.key : owner.affiliateKey;
    const { data } = await api.call('POST', path, { key, body: { program_id: owner.programId, ...target } });
    return new URL(data.url).pathname;
  };
  const get = (path: string) => api.raw('GET', path, {});

  it('a file is saved and never shown: nothing in it can run as a page of this origin', async () => {
    const made = await makeMedia('Führer "1".png');
    const { port } = api.app.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}${await urlOf(made, { media_id: made.media })}`;
    const response = await fetch(url, { headers: { connection: 'close' } });
    expect(Buffer.from(await response.arrayBuffer()).equals(fileOf('image/png'))).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '200',
      'content-disposition': `attachment; filename="F_hrer _1_.png"; filename*=UTF-8''F%C3%BChrer%20%221%22.png`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
  });

  it('a file is saved under an extension of its type, whatever it was called: nothing else opens it', async () => {
    const made = await makeMedia('launch.html');
    const single = await get(await urlOf(made, { media_id: made.media }));
    expect(single.headers['content-disposition']).toContain('filename="launch.html.png"');
    const zip = await get(await urlOf(made, { resource_id: made.post }));
    expect(zip.text).toContain('001 launch.html.png');
  });

  it('an interrupted download goes on with the part that is missing', async () => {
    const made = await makeMedia();
    const path = await urlOf(made, { media_id: made.media });
    const all = fileOf('image/png');
    const part = async (headers: Record<string, string>) => {
      const response = await api.app.inject({ method: 'GET', url: path, headers, remoteAddress: anyAddress() });
      return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload };
    };
    const { headers } = await part({});
    expect(headers).toMatchObject({ 'accept-ranges': 'bytes', etag: expect.stringMatching(/^"[0-9a-f-]{36}"$/) });
    const etag = String(headers.etag);
    const parts: [string, number, number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=50-', 50, 200],
      ['bytes=190-1000', 190, 200],
      ['bytes=-20', 180, 200],
      ['bytes=-1000', 0, 200],
    ];
    for (const [range, from, to] of parts) {
      const got = await part({ range, 'if-range': etag });
      expect([range, got.status, got.headers]).toMatchObject([
        range,
        206,
        { 'content-range': `bytes ${from}-${to - 1}/200`, 'content-length': String(to - from), 'content-type': 'image/png' },
      ]);
      expect(got.bytes.equals(all.subarray(from, to))).toBe(true);
    }
    for (const range of ['bytes=200-', 'bytes=99999999999999999999-', 'bytes=-0']) {
      const got = await part({ range });
      expect([range, got.status, got.headers['content-range']]).toEqual([range, 416, 'bytes */200']);
      expect(JSON.parse(String(got.bytes))).toMatchObject({ error: { code: 'BAD_REQUEST' } });
    }
    const wholes: Record<string, string>[] = [
      { range: 'bytes=0-1,5-6' },
      { range: 'bytes=7-2' },
      { range: 'lines=1-2' },
      { range: 'bytes=1-2', 'if-range': '"x"' },
    ];
    for (const whole of wholes)
      expect([whole, (await part(whole)).status, (await part(whole)).bytes.length]).toEqual([whole, 200, 200]);
  });

  it('responds 404 for a token that was not issued, also one for an upload', async () => {
    const made = await makeMedia();
    const path = await urlOf(made, { media_id: made.media });
    const { session } = await openUpload(api, made.owner, made.post);
    for (const other of [
      path.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      `/files/downloads/${session.upload_token}`,
      '/files/downloads/x',
    ])
      expect(await get(other)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });

  it('ends when the media is removed', async () => {
    const made = await makeMedia();
    const path = await urlOf(made, { media_id: made.media });
    expect((await get(path)).status).toBe(200);
    const { key, programId } = made.owner;
    await api.call('DELETE', `/marketing-resources/social-posts/${made.post}/media/${made.media}`, {
      key,
      body: { program_id: programId },
    });
    expect((await get(path)).status).toBe(404);
  });

  it("an affiliate's URL ends when the resource is unpublished, the merchant's does not", async () => {
    const made = await makeMedia();
    await act(api, made.owner, made.post, 'publish');
    const paths = [
      await urlOf(made, { media_id: made.media }, 'affiliate'),
      await urlOf(made, { resource_id: made.post }, 'affiliate'),
    ];
    const own = await urlOf(made, { media_id: made.media });
    expect([(await get(paths[0] ?? '')).status, (await get(paths[1] ?? '')).status]).toEqual([200, 200]);
    await act(api, made.owner, made.post, 'unpublish');
    expect([(await get(paths[0] ?? '')).status, (await get(paths[1] ?? '')).status, (await get(own)).status]).toEqual([
      404, 404, 200,
    ]);
  });

  it('the media of a post are one zip with all files in their order', async () => {
    const made = await makeMedia('../a:b.png');
    await addMedia(api, made.owner, made.post, '../a:b.png');
    await complete(api, made.owner, made.post, await openUpload(api, made.owner, made.post));
    const path = await urlOf(made, { resource_id: made.post });
    const zip = await api.app.inject({ method: 'GET', url: path });
    expect(zip.headers).toMatchObject({
      'accept-ranges': 'none',
      'content-type': 'application/zip',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    const entry = (name: string) => [name, 200];
    expect(await readZip(zip.rawPayload)).toEqual([entry('001 .._a_b.png'), entry('002 .._a_b.png')]);
  });
});

test('SE3: unread downloads by one URL hold up neither the downloads of that merchant nor the files of another', async () => {
  const { owner, post } = await makePost();
  const size = 20_000_000;
  const upload = await makeUpload(api, owner, post, { mimeType: 'video/mp4', size });
  await complete(api, owner, post, upload);
  const urlFor = async ({ key, programId }: Owner, resource: string): Promise<string> => {
    const body = { program_id: programId, resource_id: resource };
    return new URL((await api.call('POST', '/marketing-resources/download-url', { key, body })).data.url).pathname;
  };
  const shared = await urlFor(owner, post);
  const { port } = api.app.server.address() as AddressInfo;
  const get = (path: string, localAddress = anyAddress()): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      httpRequest({ port, path, localAddress }, resolve).on('error', reject).end();
    });
  const unread: IncomingMessage[] = [];
  for (let address = 0; address < 8; address++) {
    const from = anyAddress();
    for (let n = 0; n < 8; n++) unread.push(await get(shared, from));
  }
  expect(unread.filter(({ statusCode }) => statusCode === 200)).toHaveLength(LIMITS.transfers.ofToken);
  expect((await get(await urlFor(owner, post))).statusCode).toBe(200);
  const other = await makePost();
  const sent = await openUpload(api, other.owner, other.post);
  expect((await put(api, sent.session.signed_url, fileOf('image/png'))).status).toBe(200);
  await complete(api, other.owner, other.post, sent);
  const received = await get(await urlFor(other.owner, other.post));
  expect(received.statusCode).toBe(200);
  received.resume();
  for (const response of unread) response.destroy();
});

test.each([
  ['a/../b.png', 'a_.._b.png'],
  ['a\\b.png', 'a_b.png'],
  ['C:a.png', 'C_a.png'],
  ['photo\u202egnp.png', 'photo_gnp.png'],
  ['zero\u200bwidth\u2066.png', 'zero_width_.png'],
])('SE10: a file named %j is saved as %s', async (fileName, saved) => {
  const { owner, post } = await makePost();
  const media = await addMedia(api, owner, post, fileName);
  const body = { program_id: owner.programId, media_id: media };
  const { data } = await api.call('POST', '/marketing-resources/download-url', { key: owner.key, body });
  const { headers } = await api.raw('GET', new URL(data.url).pathname, {});
  expect(headers['content-disposition']).toBe(`attachment; filename="${saved}"; filename*=UTF-8''${saved}`);
});
