import { type PayoutData, stateOf } from '../../../src/console/pages/payouts/payout-state.ts';

const payout = (more: Partial<PayoutData>): PayoutData => ({
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  affiliateId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e42',
  programId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e43',
  affiliateCode: 'ada',
  affiliateName: 'Ada',
  programName: 'Partners',
  amount: 2_000,
  currency: 'usd',
  status: 'pending',
  method: 'paypal',
  rail: 'sandbox',
  notes: null,
  retryOf: null,
  payoutRunId: null,
  needsAttention: false,
  reviewReason: null,
  failureCode: null,
  railReason: null,
  fee: null,
  bankReference: null,
  executedAt: null,
  accountEnteredBy: null,
  accountEnteredAt: null,
  approvalRequiredAt: null,
  approvedBy: null,
  approvedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  processingAt: null,
  completedAt: null,
  paidAt: null,
  failedAt: null,
  sendCount: null,
  retriedBy: null,
  situation: { state: 'queued', reason: null, waitsFor: 'nobody', until: null, next: null },
  ...more,
});

const AT = '2026-01-02T00:00:00.000Z';

test.each<[string, Partial<PayoutData>, string, string | null]>([
  ['waits for its rail', {}, 'Pending', null],
  ['waits for approval', { approvalRequiredAt: AT }, 'Waits for approval', 'approve or refuse'],
  ['is approved', { approvalRequiredAt: AT, approvedAt: AT }, 'Pending', null],
  ['waits for a person', { rail: 'manual' }, 'Waits to be paid by hand', 'Begin the payment'],
  ['is at the provider', { status: 'processing' }, 'Being paid', null],
  ['is paid by a person', { status: 'processing', rail: 'manual' }, 'Being paid by hand', 'mark it as paid'],
  ['is paid', { status: 'completed' }, 'Paid', null],
  ['is cancelled', { status: 'failed', failureCode: 'cancelled' }, 'Cancelled', null],
  [
    'was refused for its details',
    { status: 'failed', failureCode: 'invalid_details' },
    'Failed',
    'ask the affiliate for new details',
  ],
  ['failed for a reason that is not known', { status: 'failed', failureCode: 'new_code' }, 'Failed', 'Retry it'],
  ['came back', { status: 'failed', failureCode: 'returned' }, 'Returned', 'Retry it'],
  [
    'has no known outcome',
    { status: 'processing', needsAttention: true, reviewReason: 'unknown_too_long' },
    'Needs a decision',
    'Search for the payout at the provider',
  ],
  [
    'is contradicted',
    { status: 'failed', needsAttention: true, reviewReason: 'contradiction' },
    'Needs a decision',
    'whether the money arrived',
  ],
])('a payout that %s says so, and what to do', (_what, more, label, next) => {
  const state = stateOf(payout(more));
  expect(state.label).toBe(label);
  expect(state.text).toMatch(/^[A-Z].*\.$/);
  if (next === null) expect(state.next).toBeNull();
  else expect(state.next).toContain(next);
});
