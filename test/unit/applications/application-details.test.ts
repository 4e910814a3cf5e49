import type { ApplicationReviewInput, ApplicationSnapshot } from '../../../src/contracts/applications.ts';
import { describeApplication } from '../../../src/contracts/workflows/application-review.texts.ts';

const INPUT: ApplicationReviewInput = {
  program: 'Acme Partners',
  applicationId: 'application-1',
  affiliateId: 'affiliate-1',
  merchantId: 'merchant-1',
  programId: 'program-1',
  source: 'browser',
  riskNotes: [],
  createdAt: '2026-01-17T09:30:00.000Z',
  dueAt: '2026-02-16T09:30:00.000Z',
  timing: { remindAfterMs: [1, 2] },
  links: { api: 'http://127.0.0.1:3000/api/v1', workflows: null },
};
const WAITING: ApplicationSnapshot = {
  version: 1,
  status: 'pending',
  expired: false,
  reminders: 1,
  isProgramArchived: false,
};
const linesOf = (change: Partial<ApplicationSnapshot>) =>
  describeApplication(INPUT, { ...WAITING, ...change }, { what: 'the merchant to decide', next: null });

it('an application that waits says which decisions are possible', () => {
  expect(linesOf({})).toContain('POST /applications/application-1/approve, /applications/application-1/decline');
  expect(linesOf({})).toContain('Reminders sent: 1');
});

it('an application to an archived program says that it cannot be approved, and what else can be done', () => {
  const lines = linesOf({ isProgramArchived: true });
  expect(lines).toContain('Program: archived: no reminders are sent');
  expect(lines).toContain(
    '**What to do until 2026-02-16 09:30 UTC**: POST /applications/application-1/decline or /applications/application-1/block',
  );
  expect(lines).toContain('PATCH /programs/program-1 with `{"status": "active"}`');
  expect(lines).not.toMatch(/Reminders sent|approve,/);
});

it('a decided application says nothing of the program that was archived', () => {
  expect(linesOf({ status: 'declined', isProgramArchived: true })).not.toContain('archived');
});

it('FI10: a decision names who made it', () => {
  expect(linesOf({ status: 'declined', decidedBy: 'Partner *team*' })).toContain('- Decided: by **Partner \\*team\\***');
  expect(linesOf({ status: 'declined', expired: true })).toContain('- Decided: by the deadline');
  expect(linesOf({})).not.toContain('Decided');
});
