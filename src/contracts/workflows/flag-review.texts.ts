import { formatMoney } from '../currencies.ts';
import { FLAG_LABELS, type FlagSummary } from '../flags.ts';
import { CONSOLE_PAGES, consoleLink } from './console-links.ts';
import { escapeMarkdown, fitSummary, link, listLink, type WorkflowLinks } from './text.ts';

const heldOf = ({ heldMinor, currency }: FlagSummary): string =>
  heldMinor && currency ? `, ${formatMoney(Number(heldMinor), currency)} on hold` : '';

/** "Flag: self-referral, 52.50 USD on hold, noraok (Acme Partners, Acme Inc.)". */
export const flagSummaryLine = (flag: FlagSummary): string => {
  const { type, affiliateCode, programName, companyName } = flag;
  const of = [programName, companyName].flatMap((name) => (name ? [escapeMarkdown(name)] : [])).join(', ');
  return fitSummary(of, `Flag: ${FLAG_LABELS[type]}${heldOf(flag)}, ${escapeMarkdown(affiliateCode)} (`, ')');
};

/** Who is suspected of what, and where to read on. Markdown. */
export const flagLinks = ({ affiliateId, affiliateCode, programName, type }: FlagSummary, links: WorkflowLinks): string => {
  const open = 'WorkflowType = "flagReview" AND State IN ("to_decide", "open") AND ExecutionStatus = "Running"';
  return [
    consoleLink(links, CONSOLE_PAGES.home()),
    `**${escapeMarkdown(affiliateCode)}** (${escapeMarkdown(programName)}): ${FLAG_LABELS[type]}`,
    [
      ...listLink('All workflows of this affiliate', links, `AffiliateId = "${affiliateId}"`),
      ...listLink('All open flags', links, open),
      link('API: flags of this affiliate', `${links.api}/flags?affiliateId=${affiliateId}`),
    ].join(' · '),
  ].join('\n\n');
};
