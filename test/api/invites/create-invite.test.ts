import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { claim, makeInviter, makePerson } from './support.ts';

const api = useTestApi();
const DAY_MS = 86_400_000;
const daysUntil = (iso: string): number => (Date.parse(iso) - Date.now()) / DAY_MS;

describe('201', () => {
  it('a request without a body creates an invite for one person that expires after 30 days', async () => {
    const { programId, create, list } = await makeInviter(api);
    const made = await create();
    expect(made.status).toBe(201);
    expect(made.data).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/^inv_[0-9a-f]{40}$/),
      programId,
      email: '',
      name: null,
      isPublic: false,
      usageLimit: 1,
      usageCount: 0,
      trackingCode: null,
      skipOnboarding: false,
      status: 'open',
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
    });
    expect(daysUntil(made.data.expiresAt)).toBeCloseTo(30, 2);
    expect((await list()).data).toEqual([made.data]);
  });

  it('an invite can be for one address, in lower case, with a code of the merchant', async () => {
    const { create } = await makeInviter(api);
    const code = `Ada_${unique()}`;
    const body = {
      email: ' Ada@Blog.Example ',
      name: 'Ada, Berlin',
      expiresInDays: 365,
      trackingCode: code,
      skipOnboarding: true,
    };
    const made = await create(body);
    expect(made).toMatchObject({
      status: 201,
      data: {
        email: 'ada@blog.example',
        name: 'Ada, Berlin',
        trackingCode: code.toLowerCase(),
        skipOnboarding: true,
        usageLimit: 1,
      },
    });
    expect(daysUntil(made.data.expiresAt)).toBeCloseTo(365, 2);
  });

  it.each([
    [{ isPublic: true }, 1_000],
    [{ isPublic: true, usageLimit: 3 }, 3],
    [{ isPublic: true, trackingCode: 'public-code' }, 1],
    [{ usageLimit: 1 }, 1],
    [{ email: 'a@b.example', usageLimit: 1 }, 1],
  ])('%j has %i uses', async (body, usageLimit) => {
    const { create } = await makeInviter(api);
    expect(await create(body)).toMatchObject({ status: 201, data: { usageLimit } });
  });

  it('a retry with the same Idempotency-Key returns the same invite', async () => {
    const { key, programId, list } = await makeInviter(api);
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => api.call('POST', `/programs/${programId}/invites`, { key, body: {}, headers });
    const first = await send();
    expect((await send()).text).toBe(first.text);
    expect((await list()).data).toHaveLength(1);
  });
});

describe('422', () => {
  it.each([
    ['email', { email: 'ada' }],
    ['email', { email: `${'a'.repeat(250)}@b.example` }],
    ['email', { email: 'a@b.example', isPublic: true }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'two\nlines' }],
    ['isPublic', { isPublic: 'yes' }],
    ['usageLimit', { isPublic: true, usageLimit: 0 }],
    ['usageLimit', { isPublic: true, usageLimit: 1_001 }],
    ['usageLimit', { isPublic: true, usageLimit: 1.5 }],
    ['usageLimit', { usageLimit: 2 }],
    ['usageLimit', { isPublic: true, usageLimit: 2, trackingCode: 'ada-code' }],
    ['expiresInDays', { expiresInDays: 0 }],
    ['expiresInDays', { expiresInDays: 366 }],
    ['trackingCode', { trackingCode: 'ab' }],
    ['trackingCode', { trackingCode: 'a'.repeat(51) }],
    ['trackingCode', { trackingCode: 'ada code' }],
    ['trackingCode', { trackingCode: 'Admin' }],
    ['skipOnboarding', { skipOnboarding: 1 }],
    ['uses', { uses: 3 }],
  ])('%s must be valid: %j', async (path, body) => {
    const { create, list } = await makeInviter(api);
    expect(await create(body)).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
    });
    expect((await list()).data).toEqual([]);
  });
});

describe('409', () => {
  it('CODE_TAKEN for a code of an affiliate or of another invite, in any case, of any merchant', async () => {
    const [one, two] = [await makeInviter(api), await makeInviter(api)];
    const { code } = await makeAffiliate(api.runtime, one.programId);
    const reserved = `code-${unique()}`;
    await one.invite({ trackingCode: reserved });
    for (const trackingCode of [code, reserved, reserved.toUpperCase()]) {
      expect(await two.create({ trackingCode })).toMatchObject({
        status: 409,
        error: { code: 'CONFLICT', details: { reason: 'CODE_TAKEN', code: trackingCode.toLowerCase() } },
      });
    }
    expect((await two.list()).data).toEqual([]);
  });

  it('a reserved code is free again once its invite has expired, and then belongs to the new invite only', async () => {
    const [one, two] = [await makeInviter(api), await makeInviter(api)];
    const trackingCode = `code-${unique()}`;
    const lost = await one.invite({ trackingCode, skipOnboarding: true });
    await rowsOf(api, `update invite set expires_at = now() - interval '1 second' where token = ?`, [lost]);
    await rowsOf(api, `update referral_code set reserved_until = now() - interval '1 second' where code = ?`, [trackingCode]);
    const token = await two.invite({ trackingCode, skipOnboarding: true });
    await rowsOf(api, `update invite set expires_at = now() + interval '1 day' where token = ?`, [lost]);
    const [ada, grace] = [await makePerson(api), await makePerson(api)];
    expect(await claim(api, ada, lost)).toMatchObject({ status: 409, error: { details: { reason: 'CODE_TAKEN' } } });
    expect((await claim(api, grace, token)).status).toBe(201);
    expect((await two.members()).data).toMatchObject([{ code: trackingCode }]);
    expect((await one.members()).data).toEqual([]);
  });

  it('of concurrent invites with one code exactly one is created', async () => {
    const { create, list } = await makeInviter(api);
    const trackingCode = `code-${unique()}`;
    const made = await Promise.all(Array.from({ length: 8 }, () => create({ trackingCode })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect((await list()).data).toHaveLength(1);
  });

  it('TOO_MANY_INVITES at 5,000 that can be claimed; expired and used ones do not count', async () => {
    const { create, invite, list, programId } = await makeInviter(api);
    const token = await invite();
    await rowsOf(
      api,
      `insert into invite select made.*
       from invite i, generate_series(1, 4998) n,
         jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'token', i.token || n)) made
       where i.token = ?`,
      [token],
    );
    const made = await Promise.all([create(), create(), create()]);
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(made.find(({ status }) => status === 409)).toMatchObject({
      error: { details: { reason: 'TOO_MANY_INVITES', limit: 5_000 } },
    });
    expect((await list()).data).toHaveLength(5_000);
    await rowsOf(api, `update invite set expires_at = now() - interval '1 second' where token = ?`, [token]);
    expect((await create()).status).toBe(201);
    await rowsOf(api, `update invite set usage_count = 1 where program_id = ?`, [programId]);
    expect((await create()).status).toBe(201);
    expect((await list()).data).toHaveLength(101);
  });
});

it('404 and 403 for a missing and a foreign program', async () => {
  const [one, two] = [await makeInviter(api), await makeInviter(api)];
  const create = (programId: string) => api.call('POST', `/programs/${programId}/invites`, { key: one.key, body: {} });
  expect(await create(randomUUID())).toMatchObject({ status: 404, error: { message: 'Program not found' } });
  expect(await create(two.programId)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  expect((await two.list()).data).toEqual([]);
});
