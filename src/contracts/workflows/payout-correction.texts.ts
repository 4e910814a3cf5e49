import { failureAdviceOf } from '../failure-advice.ts';
import type { CorrectionCause } from '../payouts.ts';
import { RAILS } from '../rails.ts';
import { beforePayingAgain, laterChangesOf } from './failure-advice.ts';
import { payeeOf, untilText } from './payout.texts.ts';
import type { CorrectionSnapshot, PayoutCorrectionInput } from './payout-correction.ts';
import { decideByAfter, payoutWorkflowId } from './payouts.ts';
import { escapeMarkdown, formatTime, listOf, sectionsOf, workflowLink } from './text.ts';

const CAUSES: Readonly<Record<CorrectionCause, string>> = {
  rail_return: 'the provider returned the payment',
  reported_return: 'a person reported that the money came back',
  resolution: 'a person resolved the contradiction',
};

/** Why the payout was changed. Markdown. */
export const correctionReason = (
  { cause }: PayoutCorrectionInput,
  { reason, note }: Pick<CorrectionSnapshot, 'reason' | 'note'>,
): string => [CAUSES[cause] + (reason ? ` (${reason})` : ''), note && escapeMarkdown(note)].filter(Boolean).join(': ');

const TITLES = { open: '⚠ **Return not confirmed**', withdrawn: '✓ **Nothing came back**' } as const;

const titleOf = ({ status, to }: CorrectionSnapshot): string => {
  if (status !== 'booked') return TITLES[status];
  return to === 'completed' ? '✓ **Paid after all**' : '✗ **Not paid after all**';
};

/** Once it is closed: where to read what happened since, and what to do first if that is nothing. */
const nextStepOf = (input: PayoutCorrectionInput, { status, to, reason, attentionSince }: CorrectionSnapshot): string => {
  const path = `POST /payouts/${input.payoutId}`;
  if (status === 'open') {
    return `**What to do${untilText(decideByAfter(attentionSince))}**: Ask the provider. If the money came back: ${path}/return with a note and \`evidence\`. If not: ${path}/resolve with the outcome \`"paid"\`. Nothing is booked until then, or until the provider confirms it.`;
  }
  if (to !== 'failed') return `Later changes: ${laterChangesOf(input)}`;
  const advice =
    failureAdviceOf({ rail: input.rail, railReason: reason, failureCode: null }) ??
    'find out why first, as a retry goes to the same details';
  return beforePayingAgain(input, advice);
};

/** Of a booking, whatever happened later. */
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
  return sectionsOf(
    `${titleOf(correction)}: ${payeeOf(input)}`,
    nextStepOf(input, correction),
    listOf([
      ['Payout created', formatTime(Date.parse(input.createdAt))],
      ['Was', from],
      ['Is', to ?? from],
      ['Said by', by === null ? RAILS[input.rail].label : `**${escapeMarkdown(by)}**`],
      ['Why', correctionReason(input, correction)],
      ['Reference', reference && escapeMarkdown(reference)],
      ['Booked', closedAt && status === 'booked' ? formatTime(Date.parse(closedAt)) : null],
      ['Effect', effectOf(correction)],
      ['Provider is asked again', nextMs === null ? null : formatTime(nextMs)],
      ['Payout', workflowLink(payoutWorkflowId(input.payoutId), input.links)],
    ]),
  );
};
