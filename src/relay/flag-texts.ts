import { FLAG_LABELS } from '../contracts/flag-labels.ts';
import type { FlagReviewInput, FlagSummary } from '../contracts/flag-review.ts';
import { escapeMarkdown, fitBytes } from '../contracts/markdown.ts';
import type { PayoutLinks } from '../contracts/workflows.ts';
import { link, listLink, SUMMARY_BYTES } from './workflow-texts.ts';

/** The input without its timing and links. The order of its lines is the order in the Temporal UI. */
export const toFlagInput = ({
  affiliateCode,
  programName,
  type,
  ...ids
}: FlagSummary): Omit<FlagReviewInput, 'timing' | 'links'> => ({
  affiliate: affiliateCode,
  program: programName,
  type,
  ...ids,
});

/** "Flag: self-referral, noraok (Acme Partners)". */
export const flagSummaryLine = ({ type, affiliateCode, programName }: FlagSummary): string =>
  fitBytes(`Flag: ${FLAG_LABELS[type]}, ${escapeMarkdown(affiliateCode)} (${escapeMarkdown(programName)})`, SUMMARY_BYTES);

/** Who is suspected of what, and where to read on. Markdown. */
export const flagDetails = ({ payload: flag }: { payload: FlagSummary }, { links }: { links: PayoutLinks }): string => {
  const more = [
    link('Flags of this affiliate', `${links.api}/flags?affiliateId=${flag.affiliateId}`),
    ...listLink('All workflows of this affiliate', links, `AffiliateId = "${flag.affiliateId}"`),
    ...listLink('All open flags', links, 'WorkflowType = "flagReview" AND State = "open" AND ExecutionStatus = "Running"'),
  ];
  return [
    `**${escapeMarkdown(flag.affiliateCode)}** (${escapeMarkdown(flag.programName)}): ${FLAG_LABELS[flag.type]}`,
    more.join(' · '),
  ].join('\n\n');
};
