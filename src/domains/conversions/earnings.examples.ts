import type { EarningView } from './earnings.wire.ts';

export const earningExample: EarningView = {
  id: '0198f1c2-b1d0-7e22-9a3f-6c0d5e8b7a14',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  type: 'commission',
  amount: 2_450,
  currency: 'usd',
  status: 'approved',
  saleAmount: 9_800,
  refundedAmount: 0,
  availableAt: '2026-02-15T10:00:00.000Z',
  payoutId: null,
  createdAt: '2026-01-16T10:00:00.000Z',
};
