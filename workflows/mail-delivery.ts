import * as wf from '@temporalio/workflow';
import type { MailActivities, MailDeliveryInput, MailDeliveryResult, MailSnapshot, MailState } from '../src/contracts/mail.ts';
import { QUERIES } from '../src/contracts/workflows/descriptor.ts';
import { describeMail, nextStepOfMail } from '../src/contracts/workflows/mail-delivery.texts.ts';
import { mailDelivery as descriptor, mailAttributes } from '../src/contracts/workflows/mail-delivery.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { formatTime } from '../src/contracts/workflows/text.ts';
import { activitiesOn, mail as mailOptions } from './support/activities.ts';
import { endAsCopy, isCopy, type Superseded } from './support/copy.ts';
import { publish } from './support/publish.ts';

const currentState = wf.defineQuery<MailState>(QUERIES.currentState);

/**
 * Sends one mail: tries with growing pauses until the mail server accepted it, refused it for good, or the time is over. The
 * row decides whether it is still to be sent, so a run that is started again sends nothing that was accepted and recorded.
 */
export async function mailDelivery(input: MailDeliveryInput): Promise<MailDeliveryResult | Superseded> {
  const own = descriptor.id(input.mailId);
  if (isCopy(own)) return endAsCopy('mail', own);
  let mail: MailSnapshot = descriptor.initial;
  let nextTryMs: number | null = null;
  wf.setHandler(currentState, () => ({
    ...mail,
    waitingFor: mail.status === 'queued' ? waitingFor(nextTryMs) : 'nothing',
    needsAttention: mail.status === 'given_up',
  }));
  const show = () => wf.setCurrentDetails(describeMail(input, mail, nextTryMs));
  // A mail holds up nobody, so that a cancellation was requested is noted nowhere; it has no effect.
  await wf.CancellationScope.nonCancellable(async () => {
    for (let tries = 0; ; tries++) {
      show();
      mail = await attempt(input);
      if (mail.status !== 'queued') break;
      const pauseMs = pauseAfter(input, tries);
      nextTryMs = Date.now() + pauseMs;
      show();
      publish(mailAttributes(mail, nextTryMs));
      await wf.sleep(pauseMs, { summary: `Waiting for try ${tries + 2}` });
      nextTryMs = null;
    }
  });
  show();
  publish(mailAttributes(mail, null));
  return { mail: input.mail, ...mail, next: nextStepOfMail(input, mail), mailId: input.mailId };
}

const endsAtMs = ({ queuedAt, timing }: MailDeliveryInput): number => Date.parse(queuedAt) + timing.giveUpAfterMs;

/** The first try after the end of the time is the last one, so that each mail is tried at least once. */
const attempt = (input: MailDeliveryInput): Promise<MailSnapshot> => {
  const last = Date.now() >= endsAtMs(input);
  const { sendMail } = activitiesOn<MailActivities>(QUEUES.mail, mailOptions);
  return sendMail.executeWithOptions({ summary: last ? 'Try to send, the last time' : 'Try to send' }, [
    { mailId: input.mailId, last },
  ]);
};

const MIN_PAUSE_MS = 1;

/** A part of each pause is random: mails that failed together are not tried together. */
const JITTER = 0.1;

const pauseAfter = (input: MailDeliveryInput, tries: number): number => {
  const { retryAfterMs } = input.timing;
  const planned = retryAfterMs[Math.min(tries, retryAfterMs.length - 1)] ?? 0;
  const pauseMs = Math.round(planned * (1 + JITTER * Math.random()));
  return Math.max(Math.min(pauseMs, endsAtMs(input) - Date.now()), MIN_PAUSE_MS);
};

const waitingFor = (nextTryMs: number | null): string =>
  nextTryMs === null ? 'the mail server' : `the next try at ${formatTime(nextTryMs)}`;
