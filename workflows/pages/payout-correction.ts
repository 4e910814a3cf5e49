import type { CorrectionCause } from '../../src/contracts/payouts.ts';
import { RAILS } from '../../src/contracts/rails.ts';
import { nextAfterFailure } from '../../src/contracts/situations/payout.ts';
import { CONSOLE_PAGES, consoleLink } from '../../src/contracts/workflows/console-links.ts';
import type { CorrectionSnapshot, PayoutCorrectionInput } from '../../src/contracts/workflows/payout-correction.ts';
import { decideByAfter, payoutWorkflowId } from '../../src/contracts/workflows/payouts.ts';
import { escapeMarkdown, formatTime, listOf, sectionsOf, workflowLink } from '../../src/contracts/workflows/text.ts';
import { actorText } from '../../src/texts/actors.finance.en.ts';
import { payoutForFinance as texts } from '../../src/texts/payout.finance.en.ts';
import { beforePayingAgain, laterChangesOf } from './later-changes.ts';
import { forDevelopers, toDoText } from './parts.ts';
import { payeeOf } from './payout.ts';

const CAUSES: Readonly<Record<CorrectionCause, string>> = {
  rail_return: 'the provider returned the payment',
  reported_return: 'a person reported that the money came back',
  resolution: 'a person resolved the contradiction',
};

/** Why the payout was changed. */
export const correctionReason = ({ cause }: PayoutCorrectionInput, { reason }: Pick<CorrectionSnapshot, 'reason'>): string =>
  CAUSES[cause] + (reason ? ` (${reason})` : '');

const TITLES = { open: '⚠ **Return not confirmed**', withdrawn: '✓ **Nothing came back**' } as const;

const titleOf = ({ status, to }: CorrectionSnapshot): string => {
  if (status !== 'booked') return TITLES[status];
  return to === 'completed' ? '✓ **Paid after all**' : '✗ **Not paid after all**';
};

/** Once it is closed: where to read what happened since, and what to do first if that is nothing. */
const nextStepOf = (input: PayoutCorrectionInput, { status, to, reason, attentionSince }: CorrectionSnapshot): string => {
  if (status === 'open') {
    const until = decideByAfter(attentionSince)?.toISOString() ?? null;
    const nothing = ' Nothing is booked until then, or until the provider confirms it.';
    return toDoText({ until }, texts.next.confirm_return + nothing);
  }
  if (to !== 'failed') return `Later changes: ${laterChangesOf(input)}`;
  const { rail } = input;
  return beforePayingAgain(input, texts.next[nextAfterFailure({ rail, railReason: reason, failureCode: null })]);
};

/** What a booked correction did, whatever happened later. */
const effectOf = ({ status, to }: CorrectionSnapshot): string | null => {
  if (status !== 'booked') return null;
  return to === 'completed' ? 'its money counts as paid' : 'its money became payable again';
};

/** What was, what is, who said so and why. Markdown. */
export const describeCorrection = (
  input: PayoutCorrectionInput,
  correction: CorrectionSnapshot,
  nextMs: number | null,
): string => {
  const { status, from, to, by, reference, closedAt } = correction;
  const { payoutId, links } = input;
  return sectionsOf(
    consoleLink(links, CONSOLE_PAGES.payout(payoutId)),
    `${titleOf(correction)}: ${payeeOf(input)}`,
    nextStepOf(input, correction),
    listOf([
      ['Payout created', formatTime(Date.parse(input.createdAt))],
      ['Was', from],
      ['Is', to ?? from],
      ['Said by', by === null ? RAILS[input.rail].label : actorText(by)],
      ['Why', escapeMarkdown(correctionReason(input, correction))],
      ['Reference', reference && escapeMarkdown(reference)],
      ['Booked', closedAt && status === 'booked' ? formatTime(Date.parse(closedAt)) : null],
      ['Effect', effectOf(correction)],
      ['Provider is asked again', nextMs === null ? null : formatTime(nextMs)],
      ['Payout', workflowLink(payoutWorkflowId(payoutId), links)],
    ]),
    forDevelopers(links, `/payouts/${payoutId}`, { actions: status === 'open' ? ['return', 'resolve'] : [] }),
  );
};
