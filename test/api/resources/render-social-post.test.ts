import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { ABSENT, makeFile, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const render = ({ affiliateKey, programId }: Owner, id: string, more: Record<string, unknown> = {}) =>
  api.call('POST', `/me/marketing-resources/social-posts/${id}/render`, {
    key: affiliateKey,
    body: { program_id: programId, ...more },
  });

const SITE = { name: 'Acme {{affiliate_code}} $& 🚀', website: 'https://acme.example' };
const published = (body: string) => ({ status: 'published', body });
const linksOf = async ({ affiliateKey }: Owner) => (await api.call('GET', '/me/links', { key: affiliateKey })).data;
const renderText = async (owner: Owner, body: string) =>
  (await render(owner, await makeResource(api, owner, 'social_post', published(body)))).data.body;

it("fills in the affiliate's own link and code and the name of the program, each value as it is", async () => {
  const owner = await makeOwner(api, 'pro', SITE);
  const [{ code }] = await linksOf(owner);
  const id = await makeResource(
    api,
    owner,
    'social_post',
    published('{{program_name}}: {{ affiliate_link }} {{affiliate_code}} {{affiliate_code}}'),
  );
  expect(await render(owner, id)).toMatchObject({
    status: 200,
    data: {
      body: `Acme {{affiliate_code}} $& 🚀: https://acme.example/?via=${code} ${owner.code} ${owner.code}`,
      disclosure: '#ad',
    },
  });
});

it('leaves other braces alone', async () => {
  const owner = await makeOwner(api);
  const text = '{{name}} {affiliate_code} {{affiliate_code}';
  expect(await renderText(owner, text)).toBe(text);
});

it('without a website, the link is the redirect link', async () => {
  const owner = await makeOwner(api);
  const [{ redirectUrl }] = await linksOf(owner);
  expect(await renderText(owner, '{{affiliate_link}}')).toBe(redirectUrl);
});

it('uses the given link, and without an active one the code of the affiliate', async () => {
  const owner = await makeOwner(api, 'pro', SITE);
  const id = await makeResource(api, owner, 'swipe_copy', published('{{affiliate_link}}'));
  const made = await api.call('POST', '/me/links', { key: owner.affiliateKey, body: { name: 'Newsletter' } });
  expect((await render(owner, id, { affiliate_link_id: made.data.id })).data.body).toBe(made.data.url);
  // The published Python client sends null for the default.
  expect(await render(owner, id, { affiliate_link_id: null })).toMatchObject({
    status: 200,
    data: (await render(owner, id)).data,
  });
  for (const link of await linksOf(owner)) await api.call('DELETE', `/me/links/${link.id}`, { key: owner.affiliateKey });
  expect((await render(owner, id)).data.body).toBe(`https://acme.example/?via=${owner.code}`);
  expect((await render(owner, id, { affiliate_link_id: made.data.id })).status).toBe(404);
});

it("404 for a missing link, 403 for another affiliate's", async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  expect((await render(owner, id, { affiliate_link_id: ABSENT })).status).toBe(404);
  expect((await render(owner, id, { affiliate_link_id: (await linksOf(other))[0].id })).status).toBe(403);
});

it('403 for a link of the same person in another program', async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const [person] = await rowsOf(api, 'select profile_id from affiliate where id = ?', [owner.affiliateId]);
  await rowsOf(api, 'update affiliate set profile_id = ? where id = ? returning id', [person?.profile_id, other.affiliateId]);
  const query = `program_id=${other.programId}`;
  const [theirs] = (await api.call('GET', `/me/links?${query}`, { key: owner.affiliateKey })).data;
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  expect((await render(owner, id, { affiliate_link_id: theirs.id })).status).toBe(403);
  const inOther = await makeResource(api, other, 'social_post', { status: 'published' });
  const response = await render({ ...other, affiliateKey: owner.affiliateKey }, inOther, { affiliate_link_id: theirs.id });
  expect(response.status).toBe(200);
});

it('responds 404 for a draft and for a resource without text', async () => {
  const owner = await makeOwner(api);
  expect((await render(owner, await makeResource(api, owner))).status).toBe(404);
  expect((await render(owner, await makeFile(api, owner, { status: 'published' }))).status).toBe(404);
});
