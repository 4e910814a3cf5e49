import { randomUUID } from 'node:crypto';
import { lockMembership } from '../../../src/domains/affiliates/index.ts';
import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, sendSale, unique } from '../../support/factories.ts';
import { anySlug, block, createLink, listLinks, makeMember } from './support.ts';

const api = useOwnApi({ PUBLIC_URL: 'https://referrals.example/' });
const system = { kind: 'system', name: 'test' } as const;

/** Adds the person of `profileId` to another program. */
const join = async (profileId: string, settings: Record<string, unknown> = {}): Promise<string> => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, settings);
  const ctx = api.runtime.context(system);
  await execute(ctx.em, sql`update affiliate_profile set email = ${`${profileId}@example.com`} where id = ${profileId}::uuid`);
  await createAffiliate(api.runtime.context(system), {
    programId,
    email: `${profileId}@example.com`,
    name: 'Ada Test',
    source: 'api',
  });
  return programId;
};

describe('201', () => {
  it('a link and a sale of the affiliate at the same time do not wait for each other', async () => {
    const { key, affiliateId } = await makeMember(api);
    const made = await inTransaction(api.runtime.context(system), async (sale) => {
      await lockMembership(sale, affiliateId);
      return createLink(api, key);
    });
    expect(made.status).toBe(201);
  });

  it('a link with a chosen code and an allowed landing page', async () => {
    const { key, programId, affiliateId } = await makeMember(api);
    const slug = anySlug();
    const made = await createLink(api, key, { name: ' Newsletter ', destination_path: '/pricing', custom_slug: slug });
    expect(made.status).toBe(201);
    expect(made.data).toEqual({
      id: expect.any(String),
      programId,
      affiliateId,
      name: 'Newsletter',
      code: slug,
      url: `https://www.acme.example/pricing?via=${slug}`,
      redirectUrl: `https://referrals.example/r/${slug}`,
      targetUrl: 'https://www.acme.example/pricing',
      isActive: true,
      totalClicks: 0,
      createdAt: expect.any(String),
      updatedAt: made.data.createdAt,
    });
    expect((await listLinks(api, key)).data).toEqual([made.data]);
  });

  it('a code that nobody chose is random', async () => {
    const { key, code } = await makeMember(api);
    const made = [await createLink(api, key), await createLink(api, key)].map(({ data }) => data.code);
    expect(new Set([...made, code]).size).toBe(3);
    for (const one of made) expect(one).toMatch(/^[a-z2-9]{10}$/);
  });

  it('without a destination the link leads to the landing page, else to the website, else nowhere', async () => {
    const landing = await makeMember(api, { website: 'https://acme.example', landingPageUrl: 'https://acme.example/welcome' });
    expect((await createLink(api, landing.key)).data.url).toMatch(/^https:\/\/acme\.example\/welcome\?via=\w+$/);
    const website = await makeMember(api, { website: 'https://acme.example' });
    expect((await createLink(api, website.key)).data.url).toMatch(/^https:\/\/acme\.example\/\?via=\w+$/);
    const nowhere = await makeMember(api, {});
    expect(await createLink(api, nowhere.key)).toMatchObject({ status: 201, data: { url: null, targetUrl: null } });
  });

  it('a retry with the same Idempotency-Key returns the same link', async () => {
    const { key } = await makeMember(api);
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => api.call('POST', '/me/links', { key, body: { name: 'Newsletter' }, headers });
    const first = await send();
    expect((await send()).text).toBe(first.text);
    expect((await listLinks(api, key)).data).toHaveLength(1);
  });

  it('a sale that names the code of a link is credited to its affiliate', async () => {
    const member = await makeMember(api);
    const { data } = await createLink(api, member.key);
    const sale = await sendSale(api, member, { referralCode: data.code.toUpperCase() });
    expect(sale.data.outcome).toBe('recorded');
    const conversions = await api.call('GET', '/conversions', { key: member.merchantKey });
    expect(conversions.data).toMatchObject([{ affiliateId: member.affiliateId }]);
  });
});

describe('the program', () => {
  it('the program may be named, and must be when the person is in several', async () => {
    const { key, programId, profileId } = await makeMember(api);
    expect((await createLink(api, key, { name: 'One' }, { program_id: programId })).status).toBe(201);
    const other = await join(profileId);
    expect(await createLink(api, key)).toMatchObject({
      status: 400,
      error: {
        code: 'BAD_REQUEST',
        message: expect.stringContaining('program_id is required unless the affiliate is in exactly one program'),
        details: { issues: [{ path: 'program_id', code: 'required', message: expect.any(String) }] },
      },
    });
    expect(await createLink(api, key, { name: 'Two' }, { program_id: other })).toMatchObject({
      status: 201,
      data: { programId: other },
    });
    expect((await listLinks(api, key, { program_id: programId })).data).toHaveLength(1);
  });

  it('a program is 404 when missing, 403 when not joined, 400 when malformed', async () => {
    const { key } = await makeMember(api);
    const { programId } = await makeMember(api);
    expect(await createLink(api, key, { name: 'x' }, { program_id: randomUUID() })).toMatchObject({
      status: 404,
      error: { code: 'NOT_FOUND' },
    });
    expect(await createLink(api, key, { name: 'x' }, { program_id: programId })).toMatchObject({
      status: 403,
      error: { code: 'FORBIDDEN' },
    });
    expect(await createLink(api, key, { name: 'x' }, { program_id: '7' })).toMatchObject({ status: 400 });
    expect((await listLinks(api, key)).data).toEqual([]);
  });
});

describe('422', () => {
  it.each([
    ['name', { name: '' }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', {}],
    ['custom_slug', { name: 'x', custom_slug: 'ab' }],
    ['custom_slug', { name: 'x', custom_slug: 'a'.repeat(33) }],
    ['custom_slug', { name: 'x', custom_slug: 'a_b' }],
    ['custom_slug', { name: 'x', custom_slug: 'Ada' }],
    ['custom_slug', { name: 'x', custom_slug: 'a/../b' }],
    ['custom_slug', { name: 'x', custom_slug: 'admin' }],
    ['destination_path', { name: 'x', destination_path: '/other' }],
    ['destination_path', { name: 'x', destination_path: '//evil.example' }],
    ['destination_path', { name: 'x', destination_path: 'https://www.acme.example/pricing' }],
    ['destination_path', { name: 'x', destination_path: null }],
    ['customSlug', { name: 'x', customSlug: 'ada' }],
    ['targetUrl', { name: 'x', targetUrl: 'https://www.acme.example/pricing' }],
  ])('%s must be valid: %j', async (path, body) => {
    const { key } = await makeMember(api);
    const response = await createLink(api, key, body);
    expect(response).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
    expect(response.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    expect((await listLinks(api, key)).data).toEqual([]);
  });

  it('a reserved word and a page that is not allowed have codes of their own', async () => {
    const { key } = await makeMember(api);
    const codeOf = async (body: object) => (await createLink(api, key, { name: 'x', ...body })).error.details.issues[0].code;
    expect(await codeOf({ custom_slug: 'support' })).toBe('reserved');
    expect(await codeOf({ destination_path: '/other' })).toBe('not_allowed');
    const { key: other } = await makeMember(api, { allowedLandingPages: [{ path: '/a', label: 'A' }] });
    expect((await createLink(api, other, { name: 'x', destination_path: '/a' })).error.details.issues[0].code).toBe('no_website');
  });
});

describe('409', () => {
  const taken = (code: string) => ({ status: 409, error: { code: 'CONFLICT', details: { reason: 'CODE_TAKEN', code } } });

  it('CODE_TAKEN for the code of an affiliate, of a link and of a deleted link, in any program', async () => {
    const [one, two] = [await makeMember(api), await makeMember(api)];
    const slug = anySlug();
    const made = await createLink(api, one.key, { name: 'x', custom_slug: slug });
    expect(await createLink(api, two.key, { name: 'x', custom_slug: slug })).toMatchObject(taken(slug));
    expect(await createLink(api, two.key, { name: 'x', custom_slug: one.code })).toMatchObject(taken(one.code));
    await api.call('DELETE', `/me/links/${made.data.id}`, { key: one.key });
    for (const { key } of [one, two]) {
      expect(await createLink(api, key, { name: 'x', custom_slug: slug })).toMatchObject(taken(slug));
    }
    expect((await listLinks(api, two.key)).data).toEqual([]);
  });

  it('AFFILIATE_BLOCKED until the affiliate is unblocked', async () => {
    const member = await makeMember(api);
    await block(api, member);
    expect(await createLink(api, member.key)).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { reason: 'AFFILIATE_BLOCKED' } },
    });
    await api.call('POST', `/affiliates/${member.affiliateId}/unblock`, { key: member.merchantKey });
    expect((await createLink(api, member.key)).status).toBe(201);
  });

  it('TOO_MANY_LINKS from the hundred-and-first at once until one is deleted', async () => {
    const { key } = await makeMember(api);
    const createMany = (length: number) => Promise.all(Array.from({ length }, () => createLink(api, key)));
    for (let batch = 0; batch < 5; batch++) await createMany(19);
    const made = await createMany(10);
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(6);
    expect(refused[0]).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { reason: 'TOO_MANY_LINKS', limit: 100 } },
    });
    const { data } = await listLinks(api, key);
    expect(data).toHaveLength(99);
    await api.call('DELETE', `/me/links/${data[0].id}`, { key });
    expect((await createLink(api, key)).status).toBe(201);
  });

  it('TOO_MANY_LINKS after a thousand links, deleted ones included', async () => {
    const { key, affiliateId } = await makeMember(api);
    const { data } = await createLink(api, key);
    const { em } = api.runtime.context(system);
    const prefix = `many-${unique()}-`;
    await execute(em, sql`insert into referral_code select ${prefix} || n, ${affiliateId}::uuid from generate_series(1, 998) n`);
    await execute(
      em,
      sql`insert into link select gen_random_uuid(), merchant_id, program_id, affiliate_id, name, ${prefix} || n, null, false,
          created_at, updated_at, created_at from link, generate_series(1, 998) n where id = ${data.id}::uuid`,
    );
    expect(await createLink(api, key)).toMatchObject({
      status: 409,
      error: { details: { reason: 'TOO_MANY_LINKS', limit: 1_000 } },
    });
  });
});
