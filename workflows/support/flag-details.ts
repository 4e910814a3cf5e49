import { FLAG_LABELS } from '../../src/contracts/flag-labels.ts';
import type { FlagReviewInput, FlagReviewState } from '../../src/contracts/flag-review.ts';
import type { FlagDeadlineAction } from '../../src/contracts/flags.ts';
import { escapeMarkdown } from '../../src/contracts/markdown.ts';
import { countOf } from './count-of.ts';
import { formatTime } from './payout-details.ts';

/** What the workflow waits for, and what it does by itself if that does not come. Null: only a signal can continue it. */
export interface FlagWait {
  what: string;
  next: { label: 'next reminder' | 'deadline' | 'next look'; atMs: number } | null;
}

type Flag = Omit<FlagReviewInput, 'timing' | 'links'>;

/** The deadline came, and the merchant chose to wait on. */
export const needsAttention = ({ status, deadlineAction }: FlagReviewState): boolean =>
  status === 'open' && deadlineAction === 'keep_open';

const titleOf = (flag: FlagReviewState): string => {
  if (flag.status === 'open') return needsAttention(flag) ? '⚠ **Overdue**' : '⏸ **Open**';
  if (flag.isHolding) return '**Confirmed**, commissions are being rejected';
  return flag.status === 'confirmed' ? '✗ **Confirmed**' : `✓ **${flag.status === 'reviewed' ? 'Reviewed' : 'Dismissed'}**`;
};

const AT_DEADLINE: Readonly<Record<FlagDeadlineAction, string>> = {
  keep_open: 'stays open and needs attention',
  confirm: 'is confirmed: what it holds is rejected',
  dismiss: 'is dismissed: what it holds is released',
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
  return isResolvedByDeadline(flag) ? 'by the deadline, as the merchant chose' : 'by a person';
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
  return `Read the evidence with GET /flags?affiliateId=${affiliateId}. Justified: ${call} with \`{"status": "confirmed", "blockAffiliate": true}\` rejects what is held. Not justified: ${call} with \`{"status": "dismissed"}\` releases it.`;
};

const waitOf = ({ what, next }: FlagWait): string => (next === null ? what : `${what}, ${next.label} ${formatTime(next.atMs)}`);

/** "Waiting for a decision (deadline 2026-01-31 21:05 UTC)". */
export const flagTimerSummary = ({ what, next }: FlagWait): string =>
  next === null ? `Waiting for ${what}` : `Waiting for ${what} (${next.label} ${formatTime(next.atMs)})`;

/** The flag as a person reads it, without any event of the history. Markdown. */
export const describeFlag = (input: Flag, flag: FlagReviewState, wait: FlagWait): string => {
  const lines: [string, string | null][] = [
    ['Held', heldOf(flag)],
    ['Waiting for', flag.isHolding ? waitOf(wait) : null],
    ['Deadline', deadlineOf(flag)],
    ['Resolved', resolvedOf(flag)],
    ['**What to do**', nextStepOf(input, flag)],
  ];
  return [
    `${titleOf(flag)}: ${escapeMarkdown(input.affiliate)} (${escapeMarkdown(input.program)}) · ${FLAG_LABELS[input.type]}`,
    lines.flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`])).join('\n'),
  ].join('\n\n');
};
