import type { NextPaymentView } from './next-payments.wire.ts';

export const nextPaymentExample: NextPaymentView = {
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  programName: 'Acme Partners',
  companyName: 'Acme',
  currency: 'usd',
  amount: 3_150,
  reason: 'BELOW_THRESHOLD',
  payoutMethod: 'paypal',
  scheduledAt: '2026-02-01T09:00:00.000Z',
  payoutFrequency: 'monthly',
  payoutThreshold: 5_000,
  pending: 4_900,
  nextReleaseAt: '2026-01-29T10:00:00.000Z',
  onHold: 0,
  inPayout: 0,
  latestPayout: {
    id: '0198f1c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f',
    amount: 10_940,
    situation: { state: 'failed', reason: 'rail_rejected', next: 'check_details' },
  },
  detailsCooldownUntil: null,
};
