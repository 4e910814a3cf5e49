import type { CouponView } from './coupons.wire.ts';

export const couponExample: CouponView = {
  id: '0198f1c2-a8d4-7b06-9e15-4f70c2d8b391',
  code: 'ADA20',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  expiresAt: null,
  createdAt: '2026-01-16T15:00:00.000Z',
};

export const createdCouponExample = {
  data: couponExample,
  body: { affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927', code: 'ADA20' },
};
