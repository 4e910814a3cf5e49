import type { MailSnapshot, MailSummary, MailTiming } from '../mail.ts';
import type { SearchValues, StartMessage, WorkflowDescriptor } from './descriptor.ts';
import { mailSubject, mailTitle } from './mail-delivery.texts.ts';
import { QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

/** What operators filter by. `nextTryMs`: null when there is none. */
export const mailAttributes = ({ status }: MailSnapshot, nextTryMs: number | null): SearchValues => ({
  State: status,
  NeedsAttention: status === 'given_up',
  NextCheckAt: nextTryMs === null ? null : new Date(nextTryMs),
});

const initial: MailSnapshot = { status: 'queued', tries: 0, lastError: null, smtpCode: null };

const id = (mailId: string): string => `mail/${mailId}`;

export const mailDelivery = {
  type: 'mailDelivery',
  namespace: 'background',
  queues: [QUEUES.mail],
  id,
  restartedBy: 'reconciler',
  topics: { start: 'mail.send' },
  outboxPriority: 'mail',
  priorityKey: 3,
  start: ({ payload }: StartMessage<MailSummary>, { mailTiming, links }: { mailTiming: MailTiming; links: WorkflowLinks }) => ({
    workflowId: id(payload.mailId),
    input: { mail: mailTitle(payload), ...payload, timing: mailTiming },
    attributes: {
      ...(payload.merchantId === null ? {} : { MerchantId: payload.merchantId }),
      State: 'queued',
      NeedsAttention: false,
    },
    summary: mailTitle(payload),
    details: mailSubject(payload, links),
  }),
  initial,
} as const satisfies WorkflowDescriptor & { initial: MailSnapshot };
