import { randomUUID } from 'node:crypto';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';
import { createCoupon, listCoupons, makeProgramWithAffiliate } from './support.ts';

const api = useTestApi();
const ABSENT = '0198f1c2-7a4e-7c31-9f0a-000000000000';

describe('201', () => {
  it('returns the coupon, with its code as it was given', async () => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    const made = await createCoupon(api, key, programId, { affiliateId, code: 'Ada_20-x' });
    expect(made.status).toBe(201);
    expect(made.data).toEqual({
      id: expect.any(String),
      code: 'Ada_20-x',
      affiliateId,
      programId,
      expiresAt: null,
      createdAt: expect.any(String),
    });
    expect((await listCoupons(api, key, programId)).data).toEqual([made.data]);
  });

  it('accepts an expiry in the future, in any time zone', async () => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    const made = await createCoupon(api, key, programId, { affiliateId, code: 'ADA20', expiresAt: '2999-01-01T02:00:00+02:00' });
    expect(made).toMatchObject({ status: 201, data: { expiresAt: '2999-01-01T00:00:00.000Z' } });
  });

  it('an affiliate may have several coupons, and another program the same code', async () => {
    const [one, two] = [await makeProgramWithAffiliate(api), await makeProgramWithAffiliate(api)];
    for (const code of ['ADA20', 'ADA30']) {
      for (const { key, programId, affiliateId } of [one, two]) {
        expect((await createCoupon(api, key, programId, { affiliateId, code })).status).toBe(201);
      }
    }
  });

  it('a retry with the same Idempotency-Key returns the same coupon', async () => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => api.call('POST', `/programs/${programId}/coupons`, { key, body: { affiliateId, code: 'ADA20' }, headers });
    const first = await send();
    expect((await send()).text).toBe(first.text);
    expect((await listCoupons(api, key, programId)).data).toHaveLength(1);
  });
});

describe('422', () => {
  it.each([
    ['code', { code: 'AB' }],
    ['code', { code: 'A'.repeat(51) }],
    ['code', { code: 'ADA 20' }],
    ['code', { code: 'ÄDA20' }],
    ['code', { code: 'ADA%' }],
    ['code', { code: undefined }],
    ['affiliateId', { affiliateId: 'x' }],
    ['affiliateId', { affiliateId: undefined }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['discount', { discount: 20 }],
  ])('%s must be valid: %j', async (path, more) => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    const response = await createCoupon(api, key, programId, { affiliateId, code: 'ADA20', ...more });
    expect(response).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
    });
    expect((await listCoupons(api, key, programId)).data).toEqual([]);
  });

  it('the affiliate must be of the program', async () => {
    const { key, programId } = await makeProgramWithAffiliate(api);
    const other = await makeProgram(api, key);
    const { affiliateId } = await makeAffiliate(api.runtime, other.programId);
    expect(await createCoupon(api, key, programId, { affiliateId, code: 'ADA20' })).toMatchObject({
      status: 422,
      error: { details: { issues: [{ path: 'affiliateId', message: 'is not a member of this program' }] } },
    });
  });
});

it('responds 404 and 403 for a missing and a foreign affiliate', async () => {
  const [one, two] = [await makeProgramWithAffiliate(api), await makeProgramWithAffiliate(api)];
  const create = (affiliateId: string) => createCoupon(api, one.key, one.programId, { affiliateId, code: 'ADA20' });
  expect(await create(ABSENT)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND', message: 'Affiliate not found' } });
  expect(await create(two.affiliateId)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});

describe('409', () => {
  it('responds CODE_TAKEN for the same code in another case, until the coupon is deleted', async () => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    const { data } = await createCoupon(api, key, programId, { affiliateId, code: 'Ada20' });
    const again = () => createCoupon(api, key, programId, { affiliateId, code: 'ADA20' });
    expect(await again()).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { reason: 'CODE_TAKEN', code: 'ADA20' } },
    });
    await api.call('DELETE', `/coupons/${data.id}`, { key });
    expect((await again()).status).toBe(201);
  });

  it('exactly one of concurrent requests for one code succeeds, with and without an Idempotency-Key', async () => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        api.call('POST', `/programs/${programId}/coupons`, {
          key,
          body: { affiliateId, code: n % 2 ? 'ADA20' : 'ada20' },
          headers: n < 4 ? { 'idempotency-key': randomUUID() } : {},
        }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect((await listCoupons(api, key, programId)).data).toHaveLength(1);
  });

  it('responds AFFILIATE_BLOCKED for a blocked affiliate', async () => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
    expect(await createCoupon(api, key, programId, { affiliateId, code: 'ADA20' })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { reason: 'AFFILIATE_BLOCKED' } },
    });
  });

  it('responds TOO_MANY_COUPONS at 5,000 in one program', async () => {
    const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
    const { data } = await createCoupon(api, key, programId, { affiliateId, code: 'ADA20' });
    await execute(
      api.runtime.context({ kind: 'system', name: 'test' }).em,
      sql`insert into coupon select gen_random_uuid(), merchant_id, program_id, affiliate_id, 'many-' || n, null, created_at, null
        from coupon, generate_series(1, 4998) n where id = ${data.id}::uuid`,
    );
    const made = await Promise.all(
      ['ADA30', 'ADA40', 'ADA50'].map((code) => createCoupon(api, key, programId, { affiliateId, code })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(made.find(({ status }) => status === 409)).toMatchObject({
      error: { details: { reason: 'TOO_MANY_COUPONS', limit: 5_000 } },
    });
    expect((await listCoupons(api, key, programId)).data).toHaveLength(5_000);
  });
});

it('responds 404 and 403 for a missing and a foreign program, before the affiliate is looked at', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId, affiliateId } = await makeProgramWithAffiliate(api);
  expect((await createCoupon(api, key, ABSENT, { affiliateId: ABSENT, code: 'ADA20' })).status).toBe(404);
  expect((await createCoupon(api, key, programId, { affiliateId, code: 'ADA20' })).status).toBe(403);
});
