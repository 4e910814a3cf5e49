import { RAILS } from '../rails.ts';
import { CONSOLE_PAGES, consoleLink } from './console-links.ts';
import type { PayoutHeadline, PayoutSummary } from './payouts.ts';
import { escapeMarkdown, fitSummary, link, listLink, type WorkflowLinks } from './text.ts';

/** "Payout 20.00 USD to noraok (Acme Partners), sandbox". */
export const payoutSummaryLine = (kind: string, { amount, to, program, rail }: PayoutHeadline): string =>
  fitSummary(escapeMarkdown(program), `${kind} ${amount} to ${escapeMarkdown(to)} (`, `), ${RAILS[rail].label}`);

/** Who is paid what, and where to read on. Markdown. */
export const payoutLinks = (
  { amount, to, program, rail, method }: PayoutHeadline,
  { payoutId, affiliateId }: Pick<PayoutSummary, 'payoutId' | 'affiliateId'>,
  links: WorkflowLinks,
): string => {
  const more = [
    ...listLink('All workflows of this payout', links, `WorkflowId STARTS_WITH "payout/${payoutId}"`),
    ...listLink('All payouts of this affiliate', links, `WorkflowId STARTS_WITH "payout/" AND AffiliateId = "${affiliateId}"`),
    link('API: payout', `${links.api}/payouts/${payoutId}`),
    link('API: timeline', `${links.api}/payouts/${payoutId}/timeline`),
  ];
  return [
    consoleLink(links, CONSOLE_PAGES.payout(payoutId)),
    `**${amount}** to **${escapeMarkdown(to)}** (${escapeMarkdown(program)})`,
    `Rail: ${RAILS[rail].label}, method: ${method.replace('_', ' ')}`,
    more.join(' · '),
  ].join('\n\n');
};
