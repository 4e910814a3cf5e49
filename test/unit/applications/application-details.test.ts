import type { ApplicationReviewInput, ApplicationSnapshot } from '../../../src/contracts/applications.ts';
import { describeApplication } from '../../../workflows/pages/application.ts';

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
  expect(linesOf({})).toContain('choose “Approve”, “Decline” or “Block”.');
  expect(linesOf({})).toMatch(/`POST \/applications\/application-1\/approve` · .*decline` · .*block`$/);
  expect(linesOf({})).toContain('Reminders sent: 1');
});

it('an application to an archived program says that it cannot be approved, and what else can be done', () => {
  const lines = linesOf({ isProgramArchived: true });
  expect(lines).toContain('Reminders: none while the program is archived');
  expect(lines).toContain('**What to do until 2026-02-16 09:30 UTC**: Choose “Decline” or “Block”.');
  expect(lines).not.toMatch(/Reminders sent|\/approve/);
});

it('a decided application says nothing of the program that was archived', () => {
  expect(linesOf({ status: 'declined', isProgramArchived: true })).not.toContain('archived');
});

it('NS10: a decision says what made it, without a name', () => {
  expect(linesOf({ status: 'declined', decidedBy: 'manager' })).toContain('- Decided: by a manager');
  expect(linesOf({ status: 'declined', decidedBy: 'Ada Lovelace' })).toContain('- Decided: by a person');
  expect(linesOf({ status: 'declined', expired: true })).toContain('- Decided: by the deadline');
  expect(linesOf({})).not.toContain('Decided');
});
