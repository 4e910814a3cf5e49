import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, sendSale } from '../../support/factories.ts';
import { system } from '../pipeline/support.ts';
import { BROWSER, click, makeShop } from '../tracking/support.ts';
import { anySlug, block, createLink, makeMember } from './support.ts';

const api = useTestApi();

const change = (key: string, code: unknown, query: Record<string, string> = {}) =>
  api.call('PATCH', '/me/code', { key, body: { code }, query });

const aDayLater = (affiliateId: string) =>
  execute(
    api.runtime.context(system).em,
    sql`update affiliate set code_changed_at = code_changed_at - interval '24 hours' where id = ${affiliateId}::uuid`,
  );

test('IN13: the code and the first link change together, and the code before keeps counting for both', async () => {
  const shop = await makeShop(api);
  const key = await makeAffiliateKey(api.runtime, shop.profileId);
  await click(api, shop);
  const code = anySlug();
  const changed = await change(key, code.toUpperCase());
  const { affiliateId, programId } = shop;
  expect(changed).toMatchObject({ status: 200, data: { affiliateId, programId, code, changeableAt: expect.any(String) } });
  expect(Date.parse(changed.data.changeableAt) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  for (const referralCode of [shop.code, code]) {
    const reported = await click(api, shop, { body: { referralCode } });
    expect(reported.data).toMatchObject({ status: 'ok', affiliateCode: code });
    const { headers } = await api.raw('GET', `/r/${referralCode}`, { headers: { 'user-agent': BROWSER } });
    expect(headers.location).toMatch(new RegExp(`via=${referralCode}&agentref_cid=clk_`));
    expect((await sendSale(api, shop.program, { referralCode })).data.outcome).toBe('recorded');
  }
  const [link, ...others] = (await api.call('GET', '/me/links', { key })).data;
  expect([link, others]).toEqual([expect.objectContaining({ code, totalClicks: 5, isActive: true }), []]);
  expect(link.redirectUrl).toContain(`/r/${code}`);
  const { data: stats } = await api.call('GET', '/me/clicks', { key });
  expect(stats.byLink.map((one: { linkId: string; code: string; clicks: number }) => [one.linkId, one.code, one.clicks])).toEqual(
    [
      [link.id, shop.code, 3],
      [link.id, code, 2],
    ],
  );
  const { data: found } = await api.call('GET', '/affiliates', { key: shop.key, query: { search: code } });
  expect(found).toMatchObject([{ id: affiliateId, code }]);
});

test('IN13: a code changes once a day; the same one again is no change', async () => {
  const { key, affiliateId, code } = await makeMember(api);
  expect(await change(key, code)).toMatchObject({ status: 200, data: { code, changeableAt: null } });
  const [first, second] = [anySlug(), anySlug()];
  const { data } = await change(key, first);
  expect(await change(key, first)).toMatchObject({ status: 200, data });
  expect(await change(key, second)).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'CODE_CHANGED_RECENTLY', changeableAt: data.changeableAt } },
  });
  await aDayLater(affiliateId);
  expect(await change(key, second)).toMatchObject({ status: 200, data: { code: second } });
  await aDayLater(affiliateId);
  // Nobody else could have taken it meanwhile.
  expect(await change(key, code)).toMatchObject({ status: 200, data: { code } });
});

test('IN13: of two changes at once, one is made', async () => {
  const { key, code } = await makeMember(api);
  const wanted = Array.from({ length: 5 }, anySlug);
  const sent = await Promise.all(wanted.map((one) => change(key, one)));
  expect(sent.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  const [link] = (await api.call('GET', '/me/links', { key })).data;
  expect(wanted).toContain(link.code);
  expect(link.code).not.toBe(code);
});

test('IN13: a code that anybody has or had is taken', async () => {
  const [own, other] = [await makeMember(api), await makeMember(api)];
  const slug = anySlug();
  await createLink(api, other.key, { name: 'Newsletter', custom_slug: slug });
  const earlier = other.code;
  await change(other.key, anySlug());
  for (const code of [slug, earlier]) {
    expect(await change(own.key, code)).toMatchObject({ status: 409, error: { details: { reason: 'CODE_TAKEN', code } } });
  }
  expect((await api.call('GET', '/me/links', { key: own.key })).data).toMatchObject([{ code: own.code }]);
});

test.each(['ab', 'a b c', 'ädä', 'a'.repeat(51), '', null, 7, 'admin'])('422 for the code %j', async (code) => {
  const { key } = await makeMember(api);
  expect(await change(key, code)).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
});

test('once the first link is deleted, a new code is that of the affiliate only, and counts', async () => {
  const shop = await makeShop(api);
  const key = await makeAffiliateKey(api.runtime, shop.profileId);
  const [link] = (await api.call('GET', '/me/links', { key })).data;
  await api.call('DELETE', `/me/links/${link.id}`, { key });
  expect((await click(api, shop)).data.reason).toBe('LINK_INACTIVE');
  const code = anySlug();
  expect((await change(key, code)).status).toBe(200);
  expect((await click(api, shop, { body: { referralCode: code } })).data).toMatchObject({ status: 'ok', affiliateCode: code });
  expect((await api.call('GET', '/me/links', { key })).data).toEqual([]);
});

test('409 for a blocked affiliate, 404 for a program that is not there', async () => {
  const own = await makeMember(api);
  expect((await change(own.key, anySlug(), { program_id: crypto.randomUUID() })).status).toBe(404);
  await block(api, own);
  expect(await change(own.key, anySlug())).toMatchObject({ status: 409, error: { details: { reason: 'AFFILIATE_BLOCKED' } } });
});
