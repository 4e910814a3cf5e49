import { MAX_COUNTED_BACKLOG, type ScreeningState } from '../../src/contracts/screening.ts';
import { countOf } from './count-of.ts';
import { formatTime } from './payout-details.ts';

const backlogOf = ({ waiting, waitingSince }: ScreeningState): string | null => {
  if (waitingSince === null) return null;
  const count = waiting < MAX_COUNTED_BACKLOG ? countOf(waiting, 'conversion') : `${waiting} or more conversions`;
  return `${count}, the oldest since ${formatTime(Date.parse(waitingSince))}. Waiting conversions are neither released nor paid`;
};

const failuresOf = ({ failedRules }: ScreeningState): string | null => {
  const failures = Object.entries(failedRules).map(([rule, conversions]) => `\`${rule}\` for ${conversions}`);
  return failures.length === 0 ? null : failures.join(', ');
};

/** What an operator may do; null when there is nothing to do. */
const nextStepOf = ({ status, needsAttention }: ScreeningState): string | null => {
  if (needsAttention) {
    return 'Correct the cause, which the log of the worker names ("a fraud rule failed"). The conversions are on flags of the type `manual_review`';
  }
  return status === 'behind' ? 'If it lasts, run more workers with the role `reviews`, and look at the load of Postgres' : null;
};

const TITLES: Readonly<Record<ScreeningState['status'], string>> = { current: '✓ **Up to date**', behind: '⏳ **Behind**' };

/** The shard as an operator reads it. Markdown. */
export const describeScreening = (state: ScreeningState): string => {
  const lines = [
    ['Screened by this run', countOf(state.screened, 'conversion')],
    ['Waiting', backlogOf(state)],
    ['Rules that failed', failuresOf(state)],
    ['**What to do**', nextStepOf(state)],
  ].flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`]));
  const title = state.needsAttention ? '⚠ **A rule fails**' : TITLES[state.status];
  return [`${title}, shard ${state.shard}`, lines.join('\n')].join('\n\n');
};
