import type { InternalEvent } from '../../contracts/internal-events.ts';
import type { ScheduledRunOutcome } from '../../contracts/payout-runs.ts';
import type { Context } from '../../platform/context.ts';
import { type MailContent, plain } from './mail-content.rules.ts';
import { findMerchantAddress, findProgramName } from './mail-facts.queries.ts';
import { writeMail } from './write-mail.steps.ts';

interface ScheduledRunMail {
  programName: string;
  period: string;
  /** The run, or the one that is in the way. */
  runId: string | null;
  outcome: ScheduledRunOutcome;
}

const TEXTS: Readonly<Record<ScheduledRunOutcome, readonly [heading: string, text: string, step: string]>> = {
  waits_for_confirmation: [
    'A payout run is ready for you to confirm',
    'It was drafted on schedule. Nothing is sent until you confirm it. It expires after 7 days.',
    'Review who gets paid, then confirm it',
  ],
  author_gone: [
    'A payout run is ready for you to confirm',
    "It was drafted on schedule and wasn't confirmed automatically: the person or API key that turned this on may no longer pay. Nothing is sent until you confirm it. It expires after 7 days.",
    'Review who gets paid, then confirm it. To confirm the next ones automatically, turn this on again in the settings of the program',
  ],
  over_limit: [
    'A payout run exceeds your daily limit',
    "It was drafted on schedule and didn't start: with what was paid in the last 24 hours, its total exceeds your 24-hour limit.",
    'Remove affiliates from it, or confirm it later',
  ],
  run_in_progress: [
    'A scheduled payout run was skipped',
    "Another payout run of the program isn't finished. The next one is drafted in the next period.",
    'Finish or cancel the other payout run',
  ],
  too_large: [
    'A scheduled payout run was skipped',
    'More affiliates have a payable balance than one payout run can hold.',
    'Draft a payout run for each payout method',
  ],
};

export const scheduledRunMail = ({ programName, period, runId, outcome }: ScheduledRunMail): MailContent => {
  const [heading, text, step] = TEXTS[outcome];
  return {
    subject: `${heading}: ${plain(programName)}`,
    heading,
    paragraphs: [text],
    sections: [
      {
        title: null,
        facts: [
          ['Program', plain(programName)],
          ['Period', period],
        ],
      },
    ],
    steps: [{ text: step, page: runId === null ? '/console/pay' : `/console/pay/runs/${runId}` }],
    footer: 'You receive this because the payout runs of the program are drafted automatically.',
  };
};

/** One for a period. */
export const mailScheduledRun = async (
  ctx: Context,
  { merchantId, programId, period, runId, outcome }: InternalEvent<'payout_run.scheduled'>,
): Promise<void> => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  const program = await findProgramName(ctx, programId);
  if (!merchant || !program) return;
  const content = scheduledRunMail({ period, runId, outcome, programName: program.name });
  const { email: recipient } = merchant;
  await writeMail(ctx, { kind: 'payout_run_scheduled', subjectId: programId, merchantId, recipient, period, content });
};
