import type { ApplicationReviewInput, ApplicationSnapshot, ApplicationSummary, RiskNote } from '../applications.ts';
import {
  escapeMarkdown,
  fitSummary,
  formatTime,
  link,
  listLink,
  listOf,
  sectionsOf,
  type Wait,
  type WorkflowLinks,
  waitText,
} from './text.ts';

/** "Application to Acme Partners". */
export const applicationSummaryLine = ({ programName }: ApplicationSummary): string =>
  fitSummary(`Application to ${escapeMarkdown(programName)}`);

/** Which program, and where to read on. Markdown. */
export const applicationLinks = ({ applicationId, programId, programName }: ApplicationSummary, links: WorkflowLinks): string => {
  const filter = `WorkflowType = "applicationReview" AND ProgramId = "${programId}" AND ExecutionStatus = "Running"`;
  return [
    `A person applied to **${escapeMarkdown(programName)}** and waits for the merchant.`,
    [
      link('Application', `${links.api}/applications/${applicationId}`),
      ...listLink('All waiting applications of this program', links, filter),
    ].join(' · '),
  ].join('\n\n');
};

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

const decidedOf = ({ status, expired, decidedBy }: ApplicationSnapshot): string | null => {
  if (status === 'pending' || status === 'withdrawn') return null;
  return decidedBy ? `by **${escapeMarkdown(decidedBy)}**` : `by ${expired ? 'the deadline' : 'a rule'}`;
};

/** The application as a person reads it, without any event of the history. Markdown. */
export const describeApplication = (input: ApplicationReviewInput, application: ApplicationSnapshot, wait: Wait): string => {
  const isPending = application.status === 'pending';
  const next = nextStepOf(input, application);
  const until = isPending ? ` until ${formatTime(Date.parse(input.dueAt))}` : '';
  return sectionsOf(
    `${titleOf(application)}: application to ${escapeMarkdown(input.program)}`,
    next === null ? null : `**What to do${until}**: ${next}`,
    listOf([
      [
        'Applicant',
        `affiliate \`${input.affiliateId}\`, applied by ${input.source} at ${formatTime(Date.parse(input.createdAt))}`,
      ],
      ['Risks', input.riskNotes.map((note) => RISKS[note]).join(', ') || 'none noted'],
      ['Waiting for', isPending ? waitText(wait) : null],
      ['Program', isPending && application.isProgramArchived ? 'archived: no reminders are sent' : null],
      ['If nobody decides', isPending ? `declined at ${formatTime(Date.parse(input.dueAt))}` : null],
      ['Reminders sent', isPending && !application.isProgramArchived ? String(application.reminders) : null],
      ['Decided', decidedOf(application)],
    ]),
  );
};
