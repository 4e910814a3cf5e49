import { FLAG_LABELS, type FlagDeadlineAction, type FlagReviewInput, type FlagReviewState } from '../../src/contracts/flags.ts';
import { type FlagSituation, flagSituation } from '../../src/contracts/situations/flag.ts';
import { CONSOLE_PAGES, consoleLink } from '../../src/contracts/workflows/console-links.ts';
import {
  countOf,
  escapeMarkdown,
  formatTime,
  listOf,
  sectionsOf,
  type Wait,
  waitText,
} from '../../src/contracts/workflows/text.ts';
import { actorText } from '../../src/texts/actors.finance.en.ts';
import { textOf } from '../../src/texts/catalogue.ts';
import { flagForFinance as texts } from '../../src/texts/flag.finance.en.ts';
import { forDevelopers, toDoText } from './parts.ts';

type Flag = Omit<FlagReviewInput, 'timing'>;

const titleOf = ({ state, reason }: FlagSituation): string => {
  const mark = state === 'to_decide' ? (reason === 'overdue' ? '⚠ ' : '') : state === 'confirmed' ? '✗ ' : '✓ ';
  return `${mark}**${texts.states[state].label}**`;
};

const AT_DEADLINE: Readonly<Record<FlagDeadlineAction, string>> = {
  keep_open: 'stays open and needs attention',
  confirm: 'is confirmed: the commissions on hold are rejected',
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
  return `by ${actorText(flag.resolvedBy ?? 'person')}`;
};

const heldOf = ({ isHolding, held, heldAmount, conversions, inPayout }: FlagReviewState): string => {
  const linked = countOf(conversions, 'linked conversion');
  if (!isHolding) return `nothing anymore (${linked})`;
  const paying = inPayout === 0 ? '' : `; ${inPayout} more in a payout that is not completed`;
  return `${heldAmount} in ${held} of ${linked}${paying}`;
};

/** The flag as a person reads it, without any event of the history. Markdown. */
export const describeFlag = (input: Flag, flag: FlagReviewState, wait: Wait): string => {
  const situation = flagSituation(flag);
  const { state, reason, next } = situation;
  const { flagId, links } = input;
  const why = reason === null ? '' : ` · ${textOf(texts.reasons[reason])}`;
  return sectionsOf(
    consoleLink(links, CONSOLE_PAGES.home()),
    `${titleOf(situation)}: ${escapeMarkdown(input.affiliate)} (${escapeMarkdown(input.program)}) · ${FLAG_LABELS[input.type]}${why}`,
    texts.states[state].text,
    next === null ? null : toDoText(situation, texts.next[next]),
    listOf([
      ['On hold', heldOf(flag)],
      ['Waiting for', flag.isHolding ? waitText(wait) : null],
      ['Opened', formatTime(Date.parse(input.createdAt))],
      ['Reminders sent', flag.status === 'open' ? String(flag.reminders) : null],
      ['Deadline', deadlineOf(flag)],
      ['Resolved', resolvedOf(flag)],
    ]),
    forDevelopers(links, `/flags/${flagId}`, situation),
  );
};
