import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { createCoupon, listCoupons, makeProgramWithAffiliate } from './support.ts';

const api = useTestApi();

test('lists the coupons of the program, newest first, with expired and without deleted ones', async () => {
  const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
  const made = [];
  for (const code of ['ADA1', 'ADA2', 'ADA3']) made.push((await createCoupon(api, key, programId, { affiliateId, code })).data);
  await api.call('DELETE', `/coupons/${made[1].id}`, { key });
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  await execute(em, sql`update coupon set expires_at = '2026-01-01T00:00:00Z' where id = ${made[0].id}::uuid`);
  const listed = await listCoupons(api, key, programId);
  expect(listed.status).toBe(200);
  expect(listed.data).toEqual([made[2], { ...made[0], expiresAt: '2026-01-01T00:00:00.000Z' }]);
  expect(listed.meta).toEqual({ requestId: expect.any(String) });
});

test('returns an empty list for a program without coupons, and 403 for a foreign one', async () => {
  const { key, programId } = await makeProgramWithAffiliate(api);
  expect(await listCoupons(api, key, programId)).toMatchObject({ status: 200, data: [] });
  const stranger = await makeMerchant(api.runtime);
  expect(await listCoupons(api, stranger.key, programId)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});
