import type { PayoutView } from './payouts.wire.ts';

export const payoutExample: PayoutView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51',
  affiliateId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31',
  programId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  amount: 12500,
  currency: 'eur',
  status: 'pending',
  method: 'paypal',
  rail: 'sandbox',
  notes: null,
  retryOf: null,
  needsAttention: false,
  failureCode: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  processingAt: null,
  completedAt: null,
  failedAt: null,
};
