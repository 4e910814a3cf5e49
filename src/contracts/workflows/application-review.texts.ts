import type { ApplicationSummary } from '../applications.ts';
import { CONSOLE_PAGES, consoleLink } from './console-links.ts';
import { escapeMarkdown, fitSummary, link, listLink, type WorkflowLinks } from './text.ts';

/** "Application to Acme Partners (Acme Inc.)". */
export const applicationSummaryLine = ({ programName, companyName }: ApplicationSummary): string =>
  fitSummary(escapeMarkdown(programName), 'Application to ', companyName ? ` (${escapeMarkdown(companyName)})` : '');

/** Which program, and where to read on. Markdown. */
export const applicationLinks = ({ applicationId, programId, programName }: ApplicationSummary, links: WorkflowLinks): string => {
  const filter = `WorkflowType = "applicationReview" AND ProgramId = "${programId}" AND ExecutionStatus = "Running"`;
  return [
    consoleLink(links, CONSOLE_PAGES.home()),
    `A person applied to **${escapeMarkdown(programName)}** and waits for the company.`,
    [
      ...listLink('All waiting applications of this program', links, filter),
      link('API: application', `${links.api}/applications/${applicationId}`),
    ].join(' · '),
  ].join('\n\n');
};
