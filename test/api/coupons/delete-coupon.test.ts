import { useTestApi } from '../../support/api.ts';
import { createCoupon, listCoupons, makeProgramWithAffiliate } from './support.ts';

const api = useTestApi();

test('returns the deleted coupon, which is gone', async () => {
  const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
  const { data: coupon } = await createCoupon(api, key, programId, { affiliateId, code: 'ADA20' });
  expect(await api.call('DELETE', `/coupons/${coupon.id}`, { key })).toMatchObject({ status: 200, data: coupon });
  expect((await listCoupons(api, key, programId)).data).toEqual([]);
  expect(await api.call('DELETE', `/coupons/${coupon.id}`, { key })).toMatchObject({
    status: 404,
    error: { code: 'NOT_FOUND', message: 'Coupon not found' },
  });
});

test('one of two requests at once deletes', async () => {
  const { key, programId, affiliateId } = await makeProgramWithAffiliate(api);
  const { data: coupon } = await createCoupon(api, key, programId, { affiliateId, code: 'ADA20' });
  const made = await Promise.all([1, 2].map(() => api.call('DELETE', `/coupons/${coupon.id}`, { key })));
  expect(made.map(({ status }) => status).sort()).toEqual([200, 404]);
});
