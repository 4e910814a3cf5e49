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
    'A payout run waits for you',
    'It was drafted as scheduled. Nothing is paid before you confirm it, and it expires after 7 days.',
    'See whom it pays, then confirm it',
  ],
  author_gone: [
    'A payout run waits for you',
    'It was drafted as scheduled and did not start: whoever chose that these runs confirm themselves may no longer pay. Nothing is paid before you confirm it, and it expires after 7 days.',
    'Look at it under Payouts and confirm it. For the next ones to confirm themselves, choose that again in the settings of the program',
  ],
  over_limit: [
    'A payout run exceeds your daily limit',
    'It was drafted as scheduled and did not start: its total, with what was paid in 24 hours, exceeds the limit of 24 hours.',
    'Take affiliates out of it, or confirm it later',
  ],
  run_in_progress: [
    'A scheduled payout run was left out',
    'Another run of the program is not finished. The next turn is that of the next period.',
    'Finish or cancel the other run',
  ],
  too_large: [
    'A scheduled payout run was left out',
    'More affiliates have a payable balance than one run may have.',
    'Make a run for each payout method',
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
