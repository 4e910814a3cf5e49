import { randomBytes } from 'node:crypto';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { JPEG, pngChunk, pngOf, WEBP } from '../../support/images.ts';

const api = useTestApi();

const make = async () => {
  const { key } = await makeMerchant(api.runtime);
  const portalSlug = `acme-${unique()}`;
  const { programId } = await makeProgram(api, key, { name: 'Acme Partners', portalSlug });
  const at = `/programs/${programId}/portal`;
  return {
    key,
    programId,
    portalSlug,
    read: async () => (await api.call('GET', at, { key })).data,
    update: (body: unknown, by = key) => api.call('PATCH', at, { key: by, body }),
  };
};

const base64 = (bytes: Buffer): string => bytes.toString('base64');

/** Loads a logo as a browser does. */
const load = (url: string, headers: Record<string, string> = {}) =>
  api.app.inject({ url: new URL(url).pathname, remoteAddress: anyAddress(), headers });

test('a program has nothing of its own until it is set, and what is left out stays', async () => {
  const { read, update, programId, portalSlug } = await make();
  const none = { programId, name: null, accentColor: null, logo: null, domain: null, updatedAt: null };
  expect(await read()).toEqual({ ...none, joinUrl: expect.stringMatching(new RegExp(`^http.*/join/${portalSlug}$`)) });
  expect((await update({})).data).toEqual(await read());
  const set = { name: 'Acme Circle', accentColor: '#0b6e4f' };
  expect((await update({ ...set, accentColor: '#0B6E4F' })).data).toMatchObject({ ...set, logo: null });
  const { logo } = (await update({ logo: base64(pngOf(240, 80)) })).data;
  expect(logo).toEqual({ url: expect.stringMatching(/\/logos\/[0-9a-f-]{36}$/), width: 240, height: 80 });
  expect((await update({ name: null })).data).toMatchObject({ name: null, accentColor: '#0b6e4f', logo });
  expect((await update({ accentColor: null, logo: null })).data).toMatchObject({ ...none, updatedAt: expect.any(String) });
});

test.each([
  ['PNG', pngOf(16, 16), 'image/png'],
  ['the largest side', pngOf(1_024, 16), 'image/png'],
  ['JPEG', JPEG, 'image/jpeg'],
  ['WebP', WEBP, 'image/webp'],
])('a logo is an image of this origin in which nothing runs: %s', async (_, bytes, type) => {
  const { update } = await make();
  const { url } = (await update({ logo: base64(bytes) })).data.logo;
  const { statusCode, headers, rawPayload } = await load(url);
  expect([statusCode, rawPayload.equals(bytes)]).toEqual([200, true]);
  expect(headers).toMatchObject({
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const again = await load(url, { 'if-none-match': String(headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('another file has another address, and the earlier one leads nowhere', async () => {
  const { update } = await make();
  const first = (await update({ logo: base64(pngOf(20, 20)) })).data.logo.url;
  const second = (await update({ logo: base64(pngOf(20, 20)) })).data.logo.url;
  expect(second).not.toBe(first);
  expect([(await load(first)).statusCode, (await load(second)).statusCode]).toEqual([404, 200]);
  await update({ logo: null });
  expect((await load(second)).statusCode).toBe(404);
  for (const id of ['x', '%00', '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e1', "' or true --"])
    expect((await load(`http://localhost/logos/${encodeURIComponent(id)}`)).statusCode).toBe(404);
});

/** `WEBP` with other flags, and with another first chunk. */
const webpWith = (at: number, bytes: Buffer): Buffer =>
  Buffer.concat([WEBP.subarray(0, at), bytes, WEBP.subarray(at + bytes.length)]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><script>alert(1)</script></svg>';

test.each([
  ['name', { name: '' }, ''],
  ['name', { name: 'x'.repeat(61) }, ''],
  ['name', { name: 'a\nb' }, ''],
  ['accentColor', { accentColor: 'green' }, 'must be a color such as #0b6e4f'],
  ['accentColor', { accentColor: '#0b6e4' }, 'must be a color'],
  ['accentColor', { accentColor: '#0b6e4f;}*{display:none' }, 'must be a color'],
  ['logo', { logo: 'not base64!' }, ''],
  ['logo', { logo: '' }, 'must be a PNG, JPEG or WebP image'],
  ['logo', { logo: base64(Buffer.from(SVG)) }, 'must be a PNG, JPEG or WebP image'],
  ['logo', { logo: base64(Buffer.from('GIF89a\x10\0\x10\0\0\0\0;', 'latin1')) }, 'must be a PNG, JPEG or WebP image'],
  ['logo', { logo: base64(pngOf(20, 20, [pngChunk('acTL', Buffer.alloc(8, 1))])) }, 'not animated'],
  ['logo', { logo: base64(webpWith(20, Buffer.from([0x22]))) }, 'not animated'],
  ['logo', { logo: base64(webpWith(12, Buffer.from(`VP9 \0\0\0\0${SVG}`))) }, 'must be a whole image'],
  ['logo', { logo: base64(pngOf(20, 20).subarray(0, 12)) }, ''],
  ['logo', { logo: base64(pngOf(15, 20)) }, 'must be 16 to 1024 pixels wide and high'],
  ['logo', { logo: base64(pngOf(20, 1_025)) }, 'must be 16 to 1024 pixels wide and high'],
  ['logo', { logo: base64(pngOf(60_000, 16).subarray(0, 200)) }, 'must be 16 to 1024 pixels wide and high'],
  ['logo', { logo: base64(Buffer.concat([pngOf(20, 20), randomBytes(32_768)])) }, 'at most 32768 bytes'],
  ['portalName', { portalName: 'x' }, ''],
])('422 for an invalid %s: %.80j', async (path, body, message) => {
  const { read, update } = await make();
  const before = await read();
  expect(await update(body)).toMatchObject({
    status: 422,
    error: {
      code: 'VALIDATION_ERROR',
      details: { issues: [expect.objectContaining({ path, message: expect.stringContaining(message) })] },
    },
  });
  expect(await read()).toEqual(before);
});

test('a change is on the audit log, and none when nothing changed', async () => {
  const { key, programId, update } = await make();
  const logo = (await update({ name: 'Acme Circle', logo: base64(pngOf(20, 20)) })).data.logo.url.slice(-36);
  await update({ name: 'Acme Circle' });
  const { data } = await api.call('GET', '/audit-log', { key, query: { action: 'program.updated' } });
  expect(data).toMatchObject([{ resourceId: programId, changes: expect.any(Array) }]);
  expect(data[0].changes.map(({ field, new: next }: { field: string; new: unknown }) => [field, next])).toEqual([
    ['portalName', 'Acme Circle'],
    ['portalLogo', logo],
  ]);
});

test('of several changes at a time, each is applied', async () => {
  const { read, update } = await make();
  const bodies = [{ name: 'Acme Circle' }, { accentColor: '#123456' }, { logo: base64(pngOf(20, 20)) }];
  expect((await Promise.all(bodies.map((body) => update(body)))).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await read()).toMatchObject({ name: 'Acme Circle', accentColor: '#123456', logo: { width: 20 } });
});
