import { gunzipSync, gzipSync } from 'node:zlib';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { makeShop, type TestShop } from './support.ts';

const api = useOwnApi({ PUBLIC_URL: 'https://track.example/base/' });

const load = (pid: string, { headers = {}, from = anyAddress() } = {}) =>
  api.app.inject({ method: 'GET', url: `/script.js?pid=${pid}`, headers, remoteAddress: from });

/** The configuration that the server put into the script. */
const configOf = async (shop: Pick<TestShop, 'programId'>) => {
  const { body } = await load(shop.programId);
  return JSON.parse(/\}\)\((\{"programId".*\})\);\n$/.exec(body)?.[1] ?? 'null');
};

const change = async (shop: TestShop, path: string, body: Record<string, unknown>): Promise<void> => {
  const { status, text } = await api.call('PATCH', path, { key: shop.key, body });
  if (status !== 200) throw new Error(text);
};

it('200: the script with the configuration of the program, for pages of every origin', async () => {
  const shop = await makeShop(api, { cookieDuration: 45 });
  const response = await load(shop.programId);
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'application/javascript; charset=utf-8',
    'cache-control': 'public, max-age=60',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
  });
  expect(await configOf(shop)).toEqual({
    programId: shop.programId,
    clickUrl: 'https://track.example/base/api/tracking/click',
    websiteDomain: new URL(shop.origin).hostname,
    cookieDays: 45,
    consentRequired: false,
    parameters: ['via', 'ref', 'r', 'a'],
    active: true,
  });
});

it('the script is at most 3 KB when it is compressed, and is compressed for those who accept it', async () => {
  const shop = await makeShop(api);
  const compressed = await load(shop.programId, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(compressed.rawPayload.length).toBeLessThanOrEqual(3_072);
  for (const encodings of ['identity', 'br', 'gzip;q=0', 'gzip; q=0.0, br']) {
    const plain = await load(shop.programId, { headers: { 'accept-encoding': encodings } });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body);
  }
});

it('the longest configuration fits too', async () => {
  const shop = await makeShop(api);
  const trackingParamAliases = Array.from({ length: 10 }, (_, at) => `partner_${at}`);
  await change(shop, '/merchant', { trackingParamAliases });
  const { body } = await load(shop.programId);
  expect((await configOf(shop)).parameters).toEqual(['via', 'ref', 'r', 'a', ...trackingParamAliases]);
  expect(gzipSync(body).length).toBeLessThanOrEqual(3_072);
});

it('304: a script that has not changed is not sent again; a change is', async () => {
  const shop = await makeShop(api);
  const first = await load(shop.programId);
  const headers = { 'if-none-match': String(first.headers.etag) };
  const again = await load(shop.programId, { headers });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  expect(again.headers).toMatchObject({ etag: first.headers.etag, 'cache-control': 'public, max-age=60' });
  await change(shop, `/programs/${shop.programId}`, { cookieDuration: 7 });
  expect((await load(shop.programId, { headers })).statusCode).toBe(200);
});

it("the program follows its merchant's settings, and a paused program is inactive", async () => {
  const shop = await makeShop(api);
  await change(shop, '/merchant', { trackingRequiresConsent: true });
  expect(await configOf(shop)).toMatchObject({ consentRequired: true, active: true });
  for (const status of ['paused', 'archived']) {
    await change(shop, `/programs/${shop.programId}`, { status });
    expect(await configOf(shop)).toMatchObject({ active: false });
  }
});

it('a program without a website tracks no page', async () => {
  const { key } = await makeMerchant(api.runtime);
  const body = { name: 'No website', commissionType: 'one_time', commissionPercent: 10 };
  const { data } = await api.call('POST', '/programs', { key, body });
  expect(await configOf({ programId: data.id })).toMatchObject({ websiteDomain: null });
});

it.each(['0198f1c2-8b10-7d02-8f3e-51c9a7e2b604', 'none', '', '%00', "'%3Balert(1)//"])(
  '404: the unknown program %p is a comment, so that pages do not break',
  async (pid) => {
    const response = await load(pid);
    expect(response.statusCode).toBe(404);
    expect(response.headers['content-type']).toBe('application/javascript; charset=utf-8');
    expect(response.body).toBe('// There is no program with this id.\n');
  },
);

it('404, as a comment, when the program is missing', async () => {
  const response = await api.raw('GET', '/script.js', {});
  expect([response.status, response.text]).toEqual([404, '// There is no program with this id.\n']);
});

it('additional parameters, such as those against caches, are accepted', async () => {
  const { programId } = await makeShop(api);
  expect((await load(`${programId}&v=2`)).statusCode).toBe(200);
});

it('429: one address loads the script 120 times a minute', async () => {
  const { programId } = await makeShop(api);
  const from = anyAddress();
  const statuses: number[] = [];
  for (let n = 0; n < 121; n++) statuses.push((await load(programId, { from })).statusCode);
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  expect(statuses.at(-1)).toBe(429);
  expect((await load(programId)).statusCode).toBe(200);
});
