export { findCoupon } from './coupons.queries.ts';
