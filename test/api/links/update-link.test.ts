import { useTestApi } from '../../support/api.ts';
import { block, createLink, listLinks, makeMember, WEBSITE } from './support.ts';

const api = useTestApi();

const update = (key: string, id: string, body: unknown, query: Record<string, string> = {}) =>
  api.call('PATCH', `/me/links/${id}`, { key, body, query });

const makeLink = async (settings?: Record<string, unknown>) => {
  const member = await makeMember(api, settings);
  const { data: link } = await createLink(api, member.key);
  return { ...member, link };
};

test('every documented field can be updated, and the code stays', async () => {
  const { key, link, programId } = await makeLink();
  const body = { name: 'Blog', targetUrl: 'https://www.acme.example/pricing', isActive: false };
  const changed = await update(key, link.id, body, { program_id: programId });
  expect(changed).toMatchObject({ status: 200 });
  expect(changed.data).toEqual({
    ...link,
    ...body,
    url: `https://www.acme.example/pricing?via=${link.code}`,
    updatedAt: expect.any(String),
  });
  expect((await listLinks(api, key)).data).toEqual([changed.data]);
});

test('null clears the target', async () => {
  const { key } = await makeLink();
  const { data: link } = await createLink(api, key, { name: 'x', destination_path: '/pricing' });
  expect(await update(key, link.id, { targetUrl: null })).toMatchObject({
    status: 200,
    data: { targetUrl: null, url: `https://www.acme.example/?via=${link.code}` },
  });
});

test('an update without changes keeps updatedAt', async () => {
  const { key, link } = await makeLink();
  expect((await update(key, link.id, { name: link.name, isActive: true })).data).toEqual(link);
  expect((await update(key, link.id, {})).data).toEqual(link);
});

test('any page of the website and its subdomains when the program allows custom destinations', async () => {
  const { key, link } = await makeLink({ ...WEBSITE, allowCustomDestinations: true });
  const targetUrl = 'https://shop.acme.example/any?utm_source=ada#top';
  expect(await update(key, link.id, { targetUrl })).toMatchObject({
    status: 200,
    data: { targetUrl, url: `https://shop.acme.example/any?utm_source=ada&via=${link.code}#top` },
  });
});

test.each([
  ['not_allowed', 'https://www.acme.example/other'],
  ['foreign_host', 'https://evil.example/pricing'],
  ['foreign_host', 'https://www.acme.example:8443/pricing'],
  ['foreign_host', 'https://www.acmе.example/pricing'],
  ['insecure', 'http://www.acme.example/pricing'],
  ['malformed', '//www.acme.example/pricing'],
  ['malformed', '/pricing'],
  ['malformed', 'https:www.acme.example'],
  ['malformed', 'https://www.acme.example@evil.example/pricing'],
  ['malformed', 'https://www.acme.example\\@evil.example/pricing'],
  ['malformed', 'https://www.acme.example/\r\nSet-Cookie: a=b'],
  ['malformed', 'javascript:alert(1)'],
])('%s: %j is no target', async (code, targetUrl) => {
  const { key, link } = await makeLink();
  const response = await update(key, link.id, { targetUrl, name: 'Changed' });
  expect(response).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'targetUrl', code, message: expect.any(String) }] } },
  });
  expect(response.text).not.toContain('evil');
  expect((await listLinks(api, key)).data).toEqual([link]);
});

test('no target without a website', async () => {
  const { key, link } = await makeLink({ allowCustomDestinations: true });
  expect(await update(key, link.id, { targetUrl: 'https://acme.example/' })).toMatchObject({
    status: 422,
    error: { details: { issues: [{ path: 'targetUrl', code: 'no_website' }] } },
  });
});

test.each([
  ['name', { name: null }],
  ['name', { name: ' ' }],
  ['isActive', { isActive: null }],
  ['isActive', { isActive: 'true' }],
  ['targetUrl', { targetUrl: 5 }],
  ['targetUrl', { targetUrl: `https://www.acme.example/${'x'.repeat(2048)}` }],
  ['code', { code: 'mine' }],
  ['custom_slug', { custom_slug: 'mine' }],
  ['destination_path', { destination_path: '/pricing' }],
])('an invalid %s is reported: %j', async (path, body) => {
  const { key, link } = await makeLink();
  expect(await update(key, link.id, body)).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
});

test('404 in another program than the one named, and once deleted', async () => {
  const { key, link } = await makeLink();
  const other = await makeMember(api);
  const missing = { status: 404, error: { code: 'NOT_FOUND', message: 'Link not found' } };
  expect(await update(key, link.id, { name: 'x' }, { program_id: other.programId })).toMatchObject(missing);
  await api.call('DELETE', `/me/links/${link.id}`, { key });
  expect(await update(key, link.id, { name: 'x' })).toMatchObject(missing);
});

test('409 while the affiliate is blocked', async () => {
  const member = await makeLink();
  await block(api, member);
  expect(await update(member.key, member.link.id, { isActive: false })).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'AFFILIATE_BLOCKED' } },
  });
  expect((await listLinks(api, member.key)).data).toEqual([member.link]);
});
