import type { MailActivities } from '../src/contracts/mail.ts';
import { finishMailTry, startMailTry } from '../src/domains/notifications/index.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import { type Mailer, MailFailure } from '../src/platform/mail/mailer.ts';
import type { ProcessMetrics } from '../src/platform/metrics/process-metrics.ts';
import { translated } from './support/failures.ts';

export interface MailRuntime {
  /** A new context for one transaction. */
  context(): Context;
  mailer: Mailer;
  tries: ProcessMetrics['mailTries'];
}

const failureOf = async (send: Promise<void>): Promise<MailFailure | null> => {
  try {
    await send;
    return null;
  } catch (error) {
    if (error instanceof MailFailure) return error;
    throw error;
  }
};

export const mailActivities = ({ context, mailer, tries }: MailRuntime): MailActivities =>
  translated(() => context().log, {
    /**
     * Runs at least once: SMTP cannot tell whether a mail was accepted when the connection or the process ended before the
     * reply was read. It is sent again then, under the same Message-ID. No transaction is open during the send.
     */
    async sendMail({ mailId, last }) {
      const step = await startMailTry(context(), { mailId });
      if (step.kind === 'end') return step.snapshot;
      faultPoint('mail:before-send');
      const failure = step.kind === 'unreadable' ? new MailFailure('unreadable') : await failureOf(mailer.send(step.mail));
      faultPoint('mail:after-250');
      tries.inc({ outcome: failure?.error ?? 'sent' });
      const snapshot = await finishMailTry(context(), { mailId, failure, last });
      faultPoint('mail:after-record');
      context().log.info({ mailId, ...snapshot }, 'mail tried');
      return snapshot;
    },
  } satisfies MailActivities);
