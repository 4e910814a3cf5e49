import { describeContradiction, describePayout, nextStepOf, reasonOf } from '../../../src/contracts/workflows/payout.texts.ts';
import type { PayoutSnapshot } from '../../../src/contracts/workflows/payouts.ts';

const PAYOUT = {
  amount: '50.00 USD',
  to: 'noraok',
  program: 'Acme Partners',
  rail: 'sandbox',
  method: 'paypal',
  payoutId: 'p1',
  merchantId: 'm1',
  programId: 'g1',
  affiliateId: 'a1',
  amountMinor: '5000',
  currency: 'usd',
  createdAt: '2026-01-31T20:00:00.000Z',
} as const;

const PROCESSING: PayoutSnapshot = {
  version: 1,
  status: 'processing',
  attemptId: 't1',
  attempts: 1,
  needsAttention: false,
  failureCode: null,
  attemptOutcome: 'accepted',
  sendCount: 1,
  reviewReason: null,
  railReason: null,
  resendAt: null,
  onHold: null,
};

const wait = { what: 'sandbox to confirm', next: { label: 'next look-up', atMs: Date.parse('2026-01-31T22:04:00Z') } };

test('T2: a payout in progress says who is paid what, what it waits for and until when', () => {
  expect(describePayout(PAYOUT, PROCESSING, wait)).toBe(`**Processing**: 50.00 USD to noraok (Acme Partners)

- Rail: sandbox, paypal
- Waiting for: sandbox to confirm, next look-up 2026-01-31 22:04 UTC
- Attempts: 1 (sent once, outcome accepted)`);
});

test('T2, FI6: a payout that needs a person says why, what has to agree, and which call to make', () => {
  const review = {
    ...PROCESSING,
    needsAttention: true,
    attemptOutcome: 'unknown',
    sendCount: 5,
    reviewReason: 'resends_exhausted',
  } as const;
  expect(
    describePayout(PAYOUT, review, wait),
  ).toBe(`⚠ **Manual review**: 50.00 USD to noraok (Acme Partners) · provider has no record after 5 sends

- Rail: sandbox, paypal
- Waiting for: sandbox to confirm, next look-up 2026-01-31 22:04 UTC
- Attempts: 1 (sent 5 times, outcome unknown)
- **What to do**: Search for \`payout-p1-1\` at the provider, and go on only if its order is 50.00 USD with the reference \`p1\`. If it was paid: POST /payouts/p1/complete with a note. If not, and it never will be: POST /payouts/p1/fail with a note.`);
});

test('the next step of a manual payout names calls that its status allows', () => {
  const manual = { ...PAYOUT, rail: 'manual', method: 'bank_transfer' } as const;
  expect(nextStepOf(manual, { ...PROCESSING, status: 'pending' })).toMatch(/p1\/process.*p1\/complete.*p1\/cancel\./);
  const processing = nextStepOf(manual, PROCESSING);
  expect(processing).toMatch(/p1\/complete.*p1\/fail with a note\./);
  expect(processing).not.toContain('/cancel');
});

test('a review of what the provider accepted names no call that the API rejects', () => {
  const review = { ...PROCESSING, needsAttention: true, reviewReason: 'accepted_before' } as const;
  expect(nextStepOf(PAYOUT, review)).toContain('/complete');
  expect(nextStepOf(PAYOUT, review)).not.toContain('/fail');
  expect(nextStepOf(PAYOUT, { ...review, reviewReason: 'accepted_too_long' })).toContain('/fail');
});

test("FI2: a failed payout shows its code and the rail's own reason, and gives no advice that later changes can make wrong", () => {
  const failed = { ...PROCESSING, status: 'failed', failureCode: 'rail_rejected', railReason: 'ACCOUNT_CLOSED' } as const;
  expect(
    describePayout(PAYOUT, failed, wait),
  ).toBe(`✗ **Failed**: 50.00 USD to noraok (Acme Partners) · rejected by the provider (ACCOUNT_CLOSED)

- Rail: sandbox, paypal
- Attempts: 1 (sent once, outcome accepted)
- Failure: \`rail_rejected\`, provider's reason \`ACCOUNT_CLOSED\`
- **What to read first**: Before anything is paid again, read GET /payouts/p1, and the workflows with the filter \`WorkflowId STARTS_WITH "payout/p1/"\``);
});

test.each(['items_held', 'affiliate_blocked', 'returned', 'cancelled'])(
  'FI2: a payout that failed as %s names no call that pays',
  (code) => {
    const failed = {
      ...PROCESSING,
      status: 'failed',
      failureCode: code,
      attempts: 0,
      sendCount: 0,
      attemptOutcome: null,
    } as const;
    const text = describePayout(PAYOUT, failed, null);
    expect(text).toContain('**What to read first**: Before anything is paid again');
    expect(text).not.toContain('POST ');
  },
);

test('FI2: a completed payout says where later changes are', () => {
  const text = describePayout(PAYOUT, { ...PROCESSING, status: 'completed' }, null);
  expect(text).toContain('- Later changes: GET /payouts/p1, and the workflows with the filter');
  expect(text).not.toContain('POST ');
});

test('T2: a payout held back and one to be sent again say so', () => {
  const held = { ...PROCESSING, status: 'pending', attempts: 0, sendCount: 0, onHold: 'unresolved_contradiction' } as const;
  expect(describePayout(PAYOUT, held, null)).toContain('⏸ **On hold**');
  expect(nextStepOf(PAYOUT, held)).toContain(
    'filter `WorkflowType = "payoutContradiction" AND AffiliateId = "a1" AND ExecutionStatus = "Running"`',
  );
  const waiting = { ...PROCESSING, resendAt: '2026-01-31T22:10:00.000Z' };
  expect(describePayout(PAYOUT, waiting, wait)).toContain('- Sent again: not before 2026-01-31 22:10 UTC');
  // Nothing is sent while a person decides.
  expect(describePayout(PAYOUT, { ...waiting, needsAttention: true }, wait)).not.toContain('Sent again');
});

test('a name that contains Markdown or an address is shown as it is, without a link', () => {
  const text = describePayout({ ...PAYOUT, program: '[x](http://evil.example)\n# **y**' }, PROCESSING, null);
  expect(text).toContain('(\\[x\\]\\(http:\u2060//evil.example\\) \\# \\*\\*y\\*\\*)');
});

test('codes that are not known yet are shown, and a completed payout needs nothing', () => {
  expect(reasonOf({ ...PROCESSING, status: 'failed', failureCode: 'brand_new' })).toBe('brand new');
  expect(reasonOf({ ...PROCESSING, needsAttention: true })).toBe('the outcome cannot be determined automatically');
  expect(nextStepOf(PAYOUT, { ...PROCESSING, status: 'completed' })).toBeNull();
  expect(nextStepOf(PAYOUT, PROCESSING)).toBeNull();
});

test('the contradiction of a failed payout warns that a newer payout may pay the same commissions', () => {
  const links = { api: 'http://api.example/api/v1', workflows: null };
  const input = { ...PAYOUT, n: 1, links, timing: { lookUpMs: 1, lookUpMaxMs: 1, remindAfterMs: [] } };
  const warning =
    'filter `WorkflowType = "payoutLifecycle" AND AffiliateId = "a1" AND State = "pending" AND ExecutionStatus = "Running"`';
  expect(describeContradiction(input, { ...PROCESSING, status: 'failed' })).toContain(warning);
  expect(describeContradiction(input, { ...PROCESSING, status: 'completed' })).not.toContain(warning);
});
