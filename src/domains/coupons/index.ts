export { findCoupon, listCouponPrograms } from './coupons.queries.ts';
export { COUPON_CODE } from './coupons.wire.ts';
