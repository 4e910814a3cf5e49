import type { AdjustmentView } from './adjustments.wire.ts';

export const createAdjustmentExample = { amount: 5_000, kind: 'bonus', note: 'Ten sales in January' };

export const adjustmentExample: AdjustmentView = {
  id: '0198f1c2-ad10-7c44-8a21-9f3b7c6d5e01',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  amount: 5_000,
  currency: 'usd',
  kind: 'bonus',
  note: 'Ten sales in January',
  payoutId: null,
  createdBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  createdAt: '2026-02-01T08:00:00.000Z',
};
