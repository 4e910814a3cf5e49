import { CONSOLE_PAGES, consoleLink } from './console-links.ts';
import type { PayoutRunInput } from './payout-runs.ts';
import { countOf, escapeMarkdown, fitSummary, link, listLink } from './text.ts';

type Headline = Pick<PayoutRunInput, 'amount' | 'affiliates' | 'program' | 'name' | 'company'>;

export const whereOf = (program: string | null): string => (program === null ? 'all programs' : escapeMarkdown(program));

/** "Payout run January: 1234.00 USD to 291 affiliates (Acme Partners, Acme Inc.)". */
export const runSummaryLine = ({ amount, affiliates, program, name, company }: Headline): string => {
  const of = [whereOf(program), company && escapeMarkdown(company)].filter(Boolean).join(', ');
  const title = name ? `Payout run ${escapeMarkdown(name)}:` : 'Payout run';
  return fitSummary(of, `${title} ${amount} to ${countOf(affiliates, 'affiliate')} (`, ')');
};

/** Who is paid what, and where to read on. Markdown. */
export const runLinks = ({
  amount,
  affiliates,
  program,
  runId,
  merchantId,
  links,
}: Headline & Pick<PayoutRunInput, 'runId' | 'merchantId' | 'links'>): string => {
  const path = `${links.api}/payout-runs/${runId}`;
  const more = [
    ...listLink(
      'Payouts that need a person',
      links,
      `WorkflowType = "payoutLifecycle" AND MerchantId = "${merchantId}" AND NeedsAttention = true AND ExecutionStatus = "Running"`,
    ),
    ...listLink('All runs of this merchant', links, `WorkflowType = "payoutRun" AND MerchantId = "${merchantId}"`),
    link('API: run', path),
    link('API: items', `${path}/items`),
  ];
  return [
    consoleLink(links, CONSOLE_PAGES.payoutRun(runId)),
    `**${amount}** to **${countOf(affiliates, 'affiliate')}** (${whereOf(program)})`,
    more.join(' · '),
  ].join('\n\n');
};
