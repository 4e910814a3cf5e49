import { FLAG_LABELS, type FlagDeadlineAction, type FlagReviewInput, type FlagReviewState, type FlagSummary } from '../flags.ts';
import {
  countOf,
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

/** "Flag: self-referral, noraok (Acme Partners)". */
export const flagSummaryLine = ({ type, affiliateCode, programName }: FlagSummary): string =>
  fitSummary(`Flag: ${FLAG_LABELS[type]}, ${escapeMarkdown(affiliateCode)} (${escapeMarkdown(programName)})`);

/** Who is suspected of what, and where to read on. Markdown. */
export const flagLinks = ({ affiliateId, affiliateCode, programName, type }: FlagSummary, links: WorkflowLinks): string =>
  [
    `**${escapeMarkdown(affiliateCode)}** (${escapeMarkdown(programName)}): ${FLAG_LABELS[type]}`,
    [
      link('Flags of this affiliate', `${links.api}/flags?affiliateId=${affiliateId}`),
      ...listLink('All workflows of this affiliate', links, `AffiliateId = "${affiliateId}"`),
      ...listLink('All open flags', links, 'WorkflowType = "flagReview" AND State = "open" AND ExecutionStatus = "Running"'),
    ].join(' · '),
  ].join('\n\n');

type Flag = Omit<FlagReviewInput, 'timing' | 'links'>;

/** The deadline came, and the merchant chose to wait on. */
export const needsAttention = ({ status, deadlineAction }: FlagReviewState): boolean =>
  status === 'open' && deadlineAction === 'keep_open';

const titleOf = (flag: FlagReviewState): string => {
  if (flag.status === 'open') return needsAttention(flag) ? '⚠ **Overdue**' : '**Open**';
  if (flag.isHolding) return '**Confirmed**, commissions are being rejected';
  return flag.status === 'confirmed' ? '✗ **Confirmed**' : `✓ **${flag.status === 'reviewed' ? 'Reviewed' : 'Dismissed'}**`;
};

const AT_DEADLINE: Readonly<Record<FlagDeadlineAction, string>> = {
  keep_open: 'stays open and needs attention',
  confirm: 'is confirmed: what it holds is rejected',
  dismiss: 'is dismissed, and its hold ends',
};

const deadlineOf = (flag: FlagReviewState): string | null => {
  if (flag.status !== 'open') return null;
  if (flag.deadlineAction !== null) return `was ${formatTime(Date.parse(flag.dueAt))}`;
  return `${formatTime(Date.parse(flag.dueAt))}, then it ${AT_DEADLINE[flag.atDeadline]}`;
};

/** Whether nobody decided in time, and the merchant chose what then happens. */
export const isResolvedByDeadline = ({ deadlineAction }: FlagReviewState): boolean =>
  deadlineAction === 'confirm' || deadlineAction === 'dismiss';

const resolvedOf = (flag: FlagReviewState): string | null => {
  if (flag.status === 'open') return null;
  if (isResolvedByDeadline(flag)) return 'by the deadline, as the merchant chose';
  return flag.resolvedBy ? `by **${escapeMarkdown(flag.resolvedBy)}**` : 'by a person';
};

const heldOf = ({ isHolding, held, heldAmount, conversions, inPayout }: FlagReviewState): string => {
  const linked = countOf(conversions, 'linked conversion');
  if (!isHolding) return `nothing any more (${linked})`;
  const paying = inPayout === 0 ? '' : `; ${inPayout} more in a payout that is not completed`;
  return `${heldAmount} in ${held} of ${linked}${paying}`;
};

/** What a person has to do next, with the call to make; null when nobody has to do anything. */
const nextStepOf = ({ flagId, affiliateId }: Flag, { status }: FlagReviewState): string | null => {
  if (status !== 'open') return null;
  const call = `POST /flags/${flagId}/resolve`;
  return `Read the evidence with GET /flags?affiliateId=${affiliateId}. Justified: ${call} with \`{"status": "confirmed"}\` rejects what is held; with \`"blockAffiliate": true\` it also blocks the affiliate in the program. Not justified: ${call} with \`{"status": "dismissed"}\` ends the hold.`;
};

/** The flag as a person reads it, without any event of the history. Markdown. */
export const describeFlag = (input: Flag, flag: FlagReviewState, wait: Wait): string => {
  const next = nextStepOf(input, flag);
  const until = flag.deadlineAction === null ? ` until ${formatTime(Date.parse(flag.dueAt))}` : '';
  return sectionsOf(
    `${titleOf(flag)}: ${escapeMarkdown(input.affiliate)} (${escapeMarkdown(input.program)}) · ${FLAG_LABELS[input.type]}`,
    next === null ? null : `**What to do${until}**: ${next}`,
    listOf([
      ['Held', heldOf(flag)],
      ['Waiting for', flag.isHolding ? waitText(wait) : null],
      ['Opened', formatTime(Date.parse(input.createdAt))],
      ['Reminders sent', flag.status === 'open' ? String(flag.reminders) : null],
      ['Deadline', deadlineOf(flag)],
      ['Resolved', resolvedOf(flag)],
      ['Note', flag.note ? `“${escapeMarkdown(flag.note)}”` : null],
    ]),
  );
};
