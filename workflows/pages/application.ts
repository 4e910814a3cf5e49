import type { ApplicationReviewInput, ApplicationSnapshot, RiskNote } from '../../src/contracts/applications.ts';
import type { ApplicationStateName } from '../../src/contracts/situations/application.ts';
import { situationOfApplication } from '../../src/contracts/workflows/application-review.ts';
import { CONSOLE_PAGES, consoleLink } from '../../src/contracts/workflows/console-links.ts';
import { escapeMarkdown, formatTime, listOf, sectionsOf, type Wait, waitText } from '../../src/contracts/workflows/text.ts';
import { actorText } from '../../src/texts/actors.finance.en.ts';
import { applicationForFinance as texts } from '../../src/texts/application.finance.en.ts';
import { textOf } from '../../src/texts/catalogue.ts';
import { forDevelopers, toDoText } from './parts.ts';

const RISKS: Readonly<Record<RiskNote, string>> = {
  disposable_email: 'disposable email address',
  merchant_email_domain: "email address at the merchant's own domain",
  duplicate_payout_details: 'same payout account as another person',
};

const MARKS: Readonly<Record<ApplicationStateName, '' | '✓ ' | '✗ '>> = {
  to_decide: '',
  approved: '✓ ',
  declined: '✗ ',
  expired: '✗ ',
  withdrawn: '✗ ',
  blocked: '✗ ',
};

const decidedOf = ({ status, expired, decidedBy }: ApplicationSnapshot): string | null => {
  if (status === 'pending' || status === 'withdrawn') return null;
  if (decidedBy) return `by ${actorText(decidedBy)}`;
  return `by ${expired ? 'the deadline' : 'a rule'}`;
};

/** The application as a person reads it, without any event of the history. Markdown. */
export const describeApplication = (input: ApplicationReviewInput, application: ApplicationSnapshot, wait: Wait): string => {
  const isPending = application.status === 'pending';
  const situation = situationOfApplication(input, application);
  const { state, reason, next } = situation;
  const { label, text } = texts.states[state];
  const { applicationId, links } = input;
  const why = reason === null ? '' : ` · ${textOf(texts.reasons[reason])}`;
  return sectionsOf(
    consoleLink(links, CONSOLE_PAGES.home()),
    `${MARKS[state]}**${label}**: application to ${escapeMarkdown(input.program)}${why}`,
    text,
    next === null ? null : toDoText(situation, texts.next[next]),
    listOf([
      [
        'Applicant',
        `affiliate \`${input.affiliateId}\`, applied by ${input.source} at ${formatTime(Date.parse(input.createdAt))}`,
      ],
      ['Risks', input.riskNotes.map((note) => RISKS[note]).join(', ') || 'none noted'],
      ['Waiting for', isPending ? waitText(wait) : null],
      ['If nobody decides', isPending ? `declined at ${formatTime(Date.parse(input.dueAt))}` : null],
      ['Reminders', isPending && application.isProgramArchived ? 'none while the program is archived' : null],
      ['Reminders sent', isPending && !application.isProgramArchived ? String(application.reminders) : null],
      ['Decided', decidedOf(application)],
    ]),
    forDevelopers(links, `/applications/${applicationId}`, situation),
  );
};
