import type { ApplicationReviewInput, ApplicationSnapshot } from '../../src/contracts/application-workflow.ts';
import type { RiskNote } from '../../src/contracts/applications.ts';
import { escapeMarkdown } from '../../src/contracts/markdown.ts';
import type { ReviewStep } from './application-steps.ts';
import { formatTime } from './payout-details.ts';

const RISKS: Readonly<Record<RiskNote, string>> = {
  disposable_email: 'disposable email address',
  merchant_email_domain: "email address at the merchant's own domain",
  duplicate_payout_details: 'same payout account as another person',
};

const TITLES: Readonly<Record<ApplicationSnapshot['status'], string>> = {
  pending: '**Waiting for the merchant**',
  approved: '✓ **Approved**',
  declined: '✗ **Declined**',
  withdrawn: '✗ **Withdrawn** by the applicant',
  blocked: '✗ **Blocked**',
};

const titleOf = ({ status, expired }: ApplicationSnapshot): string =>
  expired ? '✗ **Expired**: declined because nobody decided in time' : TITLES[status];

/** "reminder 1 at 2026-01-31 22:04 UTC". */
export const stepText = ({ atMs, reminder }: ReviewStep): string =>
  reminder === null ? `declined at ${formatTime(atMs)}` : `reminder ${reminder} at ${formatTime(atMs)}`;

const nextStepOf = (
  { applicationId, affiliateId, programId }: ApplicationReviewInput,
  { status, expired, isProgramArchived }: ApplicationSnapshot,
): string | null => {
  const path = `/applications/${applicationId}`;
  if (status === 'pending' && isProgramArchived) {
    return `POST ${path}/decline or ${path}/block: the program is archived and takes no affiliates. To approve it after all, first PATCH /programs/${programId} with \`{"status": "active"}\`.`;
  }
  if (status === 'pending') {
    return `Look at GET ${path}, then POST ${path}/approve, ${path}/decline or ${path}/block, each with \`{"note": "…"}\` or without.`;
  }
  if (status === 'approved') return `Nothing: the affiliate is GET /affiliates/${affiliateId}.`;
  if (status === 'blocked') return 'To let the person in after all, add them: POST /affiliates.';
  return status === 'withdrawn' || expired ? 'Nothing: the person may apply again.' : null;
};

/** The application as a person reads it, without any event of the history. Markdown. */
export const describeApplication = (
  input: ApplicationReviewInput,
  application: ApplicationSnapshot,
  next: ReviewStep | null,
): string => {
  const isPending = application.status === 'pending';
  const { cancellationIgnoredAt: ignoredAt, reminders } = application;
  const lines: [string, string | null][] = [
    ['Applicant', `affiliate \`${input.affiliateId}\`, applied by ${input.source} at ${formatTime(Date.parse(input.createdAt))}`],
    ['Risks', input.riskNotes.map((note) => RISKS[note]).join(', ') || 'none noted'],
    ['Waiting for', isPending ? `the merchant to decide${next ? `, ${stepText(next)}` : ''}` : null],
    ['Program', isPending && application.isProgramArchived ? 'archived: no reminders are sent' : null],
    ['Deadline', isPending ? formatTime(Date.parse(input.dueAt)) : null],
    ['Reminders sent', isPending && !application.isProgramArchived ? String(reminders) : null],
    ['Cancellation', ignoredAt === null ? null : `requested in Temporal at ${formatTime(Date.parse(ignoredAt))}, without effect`],
    ['**What to do**', nextStepOf(input, application)],
  ];
  return [
    `${titleOf(application)}: application to ${escapeMarkdown(input.program)}`,
    lines.flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`])).join('\n'),
  ].join('\n\n');
};
