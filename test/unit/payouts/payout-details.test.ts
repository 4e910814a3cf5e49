import { RAIL_NAMES } from '../../../src/contracts/rails.ts';
import type { PayoutPage } from '../../../src/contracts/workflows/payout-page.ts';
import { type PayoutLifecycleInput, type PayoutSnapshot, situationOf } from '../../../src/contracts/workflows/payouts.ts';
import { describeCancellation, formatDuration, timerSummary } from '../../../src/contracts/workflows/text.ts';
import { describePayout, insteadOfCancelling, nextStepOf, reasonText } from '../../../workflows/pages/payout.ts';
import { describeContradiction } from '../../../workflows/pages/payout-contradiction.ts';
import { describeCorrection } from '../../../workflows/pages/payout-correction.ts';

const PAYOUT: PayoutLifecycleInput = {
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
  links: { api: 'http://api.example/api/v1', workflows: null },
  timing: { lookUpMs: 1, lookUpMaxMs: 1, remindAfterMs: [3_600_000] },
};

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

const PAGE: PayoutPage = {
  since: '2026-01-31T21:00:00.000Z',
  timeline: [
    { at: '2026-01-31T21:00:00.000Z', type: 'attempt_sent', actor: 'system:payoutLifecycle', attempt: 1, outcome: 'unknown' },
    {
      ...{ at: '2026-01-31T21:01:00.000Z', type: 'status_checked', actor: 'system:payoutLifecycle', attempt: 1 },
      ...{ outcome: 'never_received', times: 6, lastAt: '2026-01-31T21:59:00.000Z' },
    },
    { at: '2026-01-31T22:00:00.000Z', type: 'marked_paid', actor: 'finance' },
  ],
  provider: { at: '2026-01-31T22:01:00.000Z', status: 'paid', id: 'trf_1', reference: 'p1', amountMinor: 4000, currency: 'usd' },
  lookUps: { count: 7, firstAt: '2026-01-31T21:01:00.000Z', lastAt: '2026-01-31T22:01:00.000Z' },
  retryOf: 'p0',
  corrections: 0,
  contradiction: null,
};

const wait = {
  what: 'sandbox to confirm',
  next: { label: 'look-up 7', atMs: Date.parse('2026-01-31T22:04:00Z') },
  otherwise: 'a person decides after 24 h',
};

test('T2: a payout in progress says who is paid what, what it waits for and until when', () => {
  expect(describePayout(PAYOUT, PROCESSING, wait)).toBe(`[Open in the console](http://api.example/console/payouts/p1)

**Sending**: 50.00 USD to noraok (Acme Partners)

Tributary sent it and follows its outcome.

**Nobody has to do anything.**

- Created: 2026-01-31 20:00 UTC
- Rail: sandbox, paypal
- Waiting for: sandbox to confirm; look-up 7 at 2026-01-31 22:04 UTC; a person decides after 24 h
- Attempts: 1 (sent once, outcome accepted)

*For developers*: [GET /payouts/p1](http://api.example/api/v1/payouts/p1)`);
});

test('TR3: a payout whose outcome nobody knows says how often it was sent', () => {
  const unknown = { ...PROCESSING, attemptOutcome: 'unknown', sendCount: 2 } as const;
  expect(describePayout(PAYOUT, unknown, wait)).toContain(
    '**Sending**: 50.00 USD to noraok (Acme Partners) · sent twice, outcome unknown\n',
  );
});

test('a payout that nobody paid in time is on hold while it may not be paid', () => {
  const overdue = { status: 'pending', needsAttention: true, reviewReason: 'reminders_exhausted', attempts: 0 } as const;
  const payout: PayoutSnapshot = { ...PROCESSING, ...overdue, onHold: 'run_paused' };
  const manual = { ...PAYOUT, rail: 'manual' } as const;
  expect(situationOf(manual, payout)).toMatchObject({ state: 'on_hold', reason: 'run_paused', next: 'resume_run' });
  expect(describePayout(manual, payout, null)).toMatch(/\n\*\*On hold\*\*: .* · its run is paused\n/);
  const unpaid = { ...payout, onHold: null };
  expect(situationOf(manual, unpaid)).toMatchObject({ state: 'to_pay', reason: 'reminders_exhausted' });
  expect(describePayout(manual, unpaid, null)).toContain('⚠ **To pay**');
});

test('rows of the same wait fold: the name of a timer has no time', () => {
  expect(timerSummary(wait)).toBe('Look-up 7; a person decides after 24 h');
  expect(timerSummary({ what: wait.what, next: wait.next })).toBe('Look-up 7; waiting for sandbox to confirm');
  expect(formatDuration(90 * 60_000)).toBe('90 min');
});

test('FI6, FI10: a review says until when a person decides, shows both records, look-ups and the last lines, in this order', () => {
  const review = {
    ...PROCESSING,
    needsAttention: true,
    attentionSince: '2026-01-31T22:00:00.000Z',
    attemptOutcome: 'unknown',
    sendCount: 5,
    reviewReason: 'resends_exhausted',
    page: PAGE,
  } as const;
  expect(describePayout(PAYOUT, review, wait)).toBe(`[Open in the console](http://api.example/console/payouts/p1)

⚠ **Needs a decision**: 50.00 USD to noraok (Acme Partners) · sent 5 times, and the provider has no record of it

Tributary can't determine the outcome on its own.

**What to do until 2026-02-01 22:00 UTC**: Look it up at the provider. If it was paid, choose “Mark as paid”. If it was not and never will be, choose “Mark as failed”. Search for \`payout-p1-1\`, and continue only if its order is 50.00 USD with the reference \`p1\`.

|  |  Our record |  The provider's |
| :--- | :--- | :--- |
| State |  processing, transfer unknown |  paid |
| Amount |  50.00 USD |  **≠ 40.00 USD** |
| For |  this payout |  this payout |
| Id there |  none |  trf\\_1 |
| Time |  2026-01-31 21:00 UTC |  2026-01-31 22:01 UTC |

**Mark it as paid only if amount and reference agree.**

- Created: 2026-01-31 20:00 UTC
- Rail: sandbox, paypal
- Waiting for: sandbox to confirm; look-up 7 at 2026-01-31 22:04 UTC; a person decides after 24 h
- Attempts: 1 (sent 5 times, outcome unknown)
- Look-ups: 7 (first 2026-01-31 21:01 UTC, last 2026-01-31 22:01 UTC)

**What happened last**

- 2026-01-31 21:00 UTC: Attempt 1 sent: outcome unknown
- 2026-01-31 21:01 UTC: Status of attempt 1 checked: the provider has no record, 6 times until 2026-01-31 21:59 UTC
- 2026-01-31 22:00 UTC: Marked as paid, by someone from finance

**Related**: retries \`payout/p0\`

*For developers*: [GET /payouts/p1](http://api.example/api/v1/payouts/p1) · \`POST /payouts/p1/complete\` · \`POST /payouts/p1/fail\``);
});

test('FI8: a payout that failed because of its details says to ask for new ones first', () => {
  const failed = {
    ...PROCESSING,
    status: 'failed',
    failureCode: 'rail_rejected',
    railReason: 'ACCOUNT_CLOSED',
    page: PAGE,
  } as const;
  const text = describePayout(PAYOUT, failed, null);
  expect(text).toContain('**Ended** 2026-01-31 21:00 UTC. Before anything is paid again, read');
  expect(text).toContain(
    'If it is still failed then, and no newer payout pays it: Ask the affiliate for new payout details, then choose “Retry”.',
  );
  expect(describePayout(PAYOUT, { ...failed, railReason: 'zz_new' }, null)).toContain(
    'pays it: Find out why, then choose “Retry”',
  );
});

test('FI7: a requested cancellation names the caller as Temporal does, and what to call instead while that is possible', () => {
  const request = { by: '7@finance-laptop', at: '2026-01-31T21:00:00.000Z' };
  const instead = insteadOfCancelling(PAYOUT, { ...PROCESSING, status: 'pending' });
  expect(describeCancellation(request, instead)).toBe(
    '⚠ **Cancellation requested in Temporal** by **7@\u2060finance-laptop** at 2026-01-31 21:00 UTC: it has no effect. To cancel the payout, choose “Cancel payout” on its page in the console.',
  );
  expect(insteadOfCancelling(PAYOUT, PROCESSING)).toBe("The payout was sent to the provider and can't be cancelled.");
  expect(describeCancellation({ ...request, by: null }, insteadOfCancelling(PAYOUT, { ...PROCESSING, status: 'failed' }))).toBe(
    '⚠ **Cancellation requested in Temporal** at 2026-01-31 21:00 UTC: it had no effect.',
  );
});

test('the next step of a manual payout names buttons that its status allows, and the calls stand at the end', () => {
  const manual = { ...PAYOUT, rail: 'manual', method: 'bank_transfer' } as const;
  const pending = { ...PROCESSING, status: 'pending' } as const;
  expect(nextStepOf(manual, pending)).toMatch(/^Choose “Mark as in progress”, pay .* “Mark as paid”\.$/);
  expect(describePayout(manual, pending, null)).toMatch(
    /\*For developers\*: .*`POST \/payouts\/p1\/process` · `POST \/payouts\/p1\/cancel`$/,
  );
  expect(nextStepOf(manual, PROCESSING)).toMatch(/“Mark as paid”.*“Mark as failed”\.$/);
  expect(describePayout(manual, PROCESSING, null)).toMatch(/`POST \/payouts\/p1\/complete` · `POST \/payouts\/p1\/fail`$/);
});

test('a review of what the provider accepted offers nothing that is refused', () => {
  const accepted = { ...PROCESSING, needsAttention: true, reviewReason: 'accepted_before' } as const;
  expect(nextStepOf(PAYOUT, accepted)).toContain('“Mark as paid”');
  expect(nextStepOf(PAYOUT, accepted)).not.toContain('“Mark as failed”');
  expect(describePayout(PAYOUT, accepted, null)).not.toContain('/fail');
  expect(nextStepOf(PAYOUT, { ...accepted, reviewReason: 'accepted_too_long' })).toContain('“Mark as failed”');
});

test("FI2: a failed payout shows its code and the rail's own reason, and gives no advice that later changes can make wrong", () => {
  const failed = { ...PROCESSING, status: 'failed', failureCode: 'rail_rejected', railReason: 'ACCOUNT_CLOSED' } as const;
  expect(describePayout(PAYOUT, failed, wait)).toBe(`[Open in the console](http://api.example/console/payouts/p1)

✗ **Failed**: 50.00 USD to noraok (Acme Partners) · the provider rejected it \\(ACCOUNT\\_CLOSED\\)

Before anything is paid again, read its page in the console, and the workflows with the filter \`WorkflowId STARTS_WITH "payout/p1/"\`. A retry, or a run that paid it, is among the workflows with the filter \`WorkflowType = "payoutLifecycle" AND AffiliateId = "a1" AND StartTime > "2026-01-31T20:00:00.000Z" AND WorkflowId != "payout/p1"\`. If it is still failed then, and no newer payout pays it: Ask the affiliate for new payout details, then choose “Retry”. After three refusals, the same details are paused until they are changed or confirmed.

- Created: 2026-01-31 20:00 UTC
- Rail: sandbox, paypal
- Attempts: 1 (sent once, outcome accepted)
- Failure: \`rail_rejected\`, provider's reason \`ACCOUNT_CLOSED\`
- Effect: its money became payable again

*For developers*: [GET /payouts/p1](http://api.example/api/v1/payouts/p1)`);
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
    expect(text).toContain('Before anything is paid again, read its page in the console');
    expect(text).not.toContain('POST ');
  },
);

test('FI2: a completed payout says where later changes are', () => {
  const text = describePayout(PAYOUT, { ...PROCESSING, status: 'completed' }, null);
  expect(text).toContain('Later changes: its page in the console, and the workflows with the filter');
  expect(text).not.toContain('POST ');
});

test('a closed page links to later changes where the address of the UI is known', () => {
  const linked = { ...PAYOUT, links: { ...PAYOUT.links, workflows: 'http://ui.example/workflows' } };
  const query = encodeURIComponent('WorkflowId STARTS_WITH "payout/p1/"');
  const link = `its page in the console, and [its later workflows](http://ui.example/workflows?query=${query})`;
  expect(describePayout(linked, { ...PROCESSING, status: 'completed' }, null)).toContain(`Later changes: ${link}`);
  expect(describePayout(linked, { ...PROCESSING, status: 'failed' }, null)).toContain(
    `Before anything is paid again, read ${link}`,
  );
});

test('a failed payout links to the newer payouts of its affiliate, where a retry and a later run are', () => {
  const linked = { ...PAYOUT, links: { ...PAYOUT.links, workflows: 'http://ui.example/workflows' } };
  const filter =
    'WorkflowType = "payoutLifecycle" AND AffiliateId = "a1" AND StartTime > "2026-01-31T20:00:00.000Z" AND WorkflowId != "payout/p1"';
  const newer = `[the newer payouts of this affiliate](http://ui.example/workflows?query=${encodeURIComponent(filter)})`;
  const failed = describePayout(linked, { ...PROCESSING, status: 'failed' }, null);
  expect(failed).toContain(`A retry, or a run that paid it, is among ${newer}`);
  expect(describePayout(linked, { ...PROCESSING, status: 'completed' }, null)).not.toContain('newer payouts');
});

test('a payout that somebody started to pay says that it may have been paid', () => {
  const step = nextStepOf({ ...PAYOUT, rail: 'manual' }, { ...PROCESSING, attemptOutcome: null });
  expect(step).toMatch(/^Ask whoever started the payment whether it was made\./);
});

test('T2: a payout held back and one to be sent again say so', () => {
  const held = { ...PROCESSING, status: 'pending', attempts: 0, sendCount: 0, onHold: 'unresolved_contradiction' } as const;
  expect(describePayout(PAYOUT, held, null)).toContain('**On hold**');
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
  const failed = { ...PROCESSING, status: 'failed', failureCode: 'brand_new' } as const;
  expect(reasonText(situationOf(PAYOUT, failed), failed)).toBe('brand new');
  expect(describePayout(PAYOUT, { ...PROCESSING, needsAttention: true }, null)).toContain(
    "Tributary can't determine the outcome",
  );
  expect(nextStepOf(PAYOUT, { ...PROCESSING, status: 'completed' })).toBeNull();
  expect(nextStepOf(PAYOUT, PROCESSING)).toBeNull();
});

test('the contradiction of a failed payout warns that a newer payout may pay the same commissions', () => {
  const warning = 'filter `WorkflowType = "payoutLifecycle" AND AffiliateId = "a1" AND State IN (';
  expect(describeContradiction(PAYOUT, { ...PROCESSING, status: 'failed' }, null)).toContain(warning);
  expect(describeContradiction(PAYOUT, { ...PROCESSING, status: 'completed' }, null)).not.toContain(warning);
});

const PENDING: PayoutSnapshot = { ...PROCESSING, status: 'pending', attempts: 0, attemptOutcome: null, sendCount: 0 };

test('the filter for newer payouts finds every pending one, whatever it waits for', () => {
  const text = describeContradiction(PAYOUT, { ...PROCESSING, status: 'failed' }, null);
  const [, listed = ''] = /State IN \(([^)]*)\)/.exec(text) ?? [];
  const states = RAIL_NAMES.flatMap((rail) =>
    ([null, 'unresolved_contradiction', 'run_paused'] as const).flatMap((onHold) =>
      [false, true].flatMap((needsAttention) =>
        [false, true].map(
          (awaitsApproval) => situationOf({ ...PAYOUT, rail }, { ...PENDING, onHold, needsAttention, awaitsApproval }).state,
        ),
      ),
    ),
  );
  expect(listed.split(', ')).toEqual(expect.arrayContaining([...new Set(states)].map((state) => `"${state}"`)));
});

test('a payout that nobody looked at yet says since when it exists, and that nobody has to do anything', () => {
  const text = describePayout(PAYOUT, PENDING, { what: 'its first attempt', next: null });
  expect(text).toContain('**Nobody has to do anything.**\n\n- Created: 2026-01-31 20:00 UTC');
  expect(describePayout(PAYOUT, { ...PROCESSING, needsAttention: true }, wait)).not.toContain('Nobody has to');
  expect(describePayout(PAYOUT, { ...PROCESSING, status: 'completed' }, null)).not.toContain('Nobody has to');
});

test('a contradiction marks the states as what differs, and asks for what can agree', () => {
  const provider = {
    at: '2026-01-31T22:01:00.000Z',
    status: 'paid',
    id: 'trf_1',
    reference: 'p1',
    amountMinor: 5000,
    currency: 'usd',
  };
  const failed = { ...PROCESSING, status: 'failed', attemptOutcome: 'failed', reference: 'trf_1' } as const;
  const text = describeContradiction(PAYOUT, { ...failed, page: { ...PAGE, provider } }, null);
  expect(text).toContain(`| State |  failed, transfer failed |  **≠ paid** |
| Amount |  50.00 USD |  50.00 USD |
| For |  this payout |  this payout |
| Id there |  trf\\_1 |  trf\\_1 |`);
  expect(text).toContain('**Resolve it as paid only if amount and reference agree.** The states differ');
  expect(text.match(/≠/g)).toHaveLength(1);
});

test('FI11: who noted that a run was terminated did not terminate it', () => {
  const line = { at: '2026-01-31T21:00:00.000Z', type: 'workflow_terminated', actor: 'system:reconciler' } as const;
  const text = describePayout(PAYOUT, { ...PROCESSING, page: { ...PAGE, timeline: [line] } }, wait);
  expect(text).toContain('A run of the workflow was terminated in Temporal, noted by Tributary');
});

test.each([
  ['completed', 'failed', '✗ **Not paid after all**', 'its money became payable again'],
  ['failed', 'completed', '✓ **Paid after all**', 'its money counts as paid'],
] as const)('a correction from %s to %s says where the money is', (from, to, title, effect) => {
  const correction = { reason: null, reference: null, run: null, needsAttention: false, by: null } as const;
  const booked = { ...correction, status: 'booked', from, to, closedAt: '2026-01-31T21:00:00.000Z' } as const;
  const text = describeCorrection({ ...PAYOUT, n: 1, cause: 'resolution' }, booked, null);
  expect(text).toContain(title);
  expect(text).toContain(`- Effect: ${effect}`);
  const open = describeCorrection({ ...PAYOUT, n: 1, cause: 'reported_return' }, { ...booked, status: 'open', to: null }, null);
  expect(open).not.toContain('Effect');
});
