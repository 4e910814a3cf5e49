import { type DeliveryAttempt, type DeliveryEnd, type DeliveryInput, type DeliveryResult, isResend } from '../webhooks.ts';
import type { SearchValues, StartMessage, WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';
import { escapeMarkdown, formatTime, link, sectionsOf, type WorkflowLinks } from './text.ts';

const END_TEXTS: Readonly<Record<DeliveryEnd, string>> = {
  succeeded: '✓ Delivered',
  exhausted: '✗ Given up: the receiver did not accept it in any scheduled attempt',
  parked: 'Paused with its endpoint: POST /webhooks/{id}/enable continues it',
  cancelled: 'Cancelled: the endpoint was deleted',
  closed: 'Nothing to send',
  failed: 'Not accepted, and scheduled attempts are not affected. POST /webhook-deliveries/{id}/resend sends it again',
  not_sent: 'Not sent: the endpoint was disabled or deleted',
};

const SENDING = '**Sending**. The pending activity shows the last attempt, why it failed, and when the next one is due.';
const SENDING_ONCE = '**Sending once**, as requested. Scheduled attempts are not affected unless the receiver accepts this one.';

/** Markdown. */
export const describeSending = (input: DeliveryInput): string =>
  `${isResend(input) ? SENDING_ONCE : SENDING} All attempts: GET /webhook-deliveries/${input.deliveryId}`;

const attemptOf = ({ at, httpStatus, error, ms }: DeliveryAttempt): string => {
  const status = httpStatus === null ? 'no response' : `status ${httpStatus}`;
  const why = error === null ? '' : `, ${escapeMarkdown(error)}`;
  return `- ${formatTime(Date.parse(at))}: ${status}${why}${ms === null ? '' : `, ${ms} ms`}`;
};

const resendOf = (deliveryId: string): string =>
  `**Nobody has to do anything.** To send it again once the receiver works: POST /webhook-deliveries/${deliveryId}/resend`;

/** Once it ended. Markdown. */
export const describeEnd = ({ deliveryId }: DeliveryInput, { end, attempts, log = [] }: DeliveryResult): string => {
  const missing = attempts > log.length && log.length > 0 ? ` The last ${log.length} of them:` : '';
  return sectionsOf(
    `**${END_TEXTS[end]}**. Attempts so far: ${attempts}.${missing}`,
    log.length === 0 ? null : log.map(attemptOf).join('\n'),
    end === 'exhausted' ? resendOf(deliveryId) : null,
    `What happened since: GET /webhook-deliveries/${deliveryId}`,
  );
};

/** What the list of workflows shows of a delivery that was given up. */
export const givenUpAttributes = ({ end, log = [] }: DeliveryResult): SearchValues => ({
  State: end,
  Reason: log.at(-1)?.error ?? null,
});

const SENDS_ONCE = 'Sends one event to one webhook endpoint again, once, as the merchant requested.';
const SENDS_WITH_RETRIES = 'Sends one event to one webhook endpoint, with retries.';

const id = (deliveryId: string, suffix: string): string => `webhook/${deliveryId}${suffix}`;

export const webhookDelivery = {
  type: 'webhookDelivery',
  namespace: 'background',
  queues: [QUEUES.webhooks],
  id,
  restartedBy: 'reconciler',
  topics: { start: 'webhook.deliver' },
  outboxPriority: 'webhooks',
  priorityKey: 4,
  start(message: StartMessage<{ merchantId: string; endpointId: string }>, { links }: { links: WorkflowLinks }) {
    const { merchantId, endpointId } = message.payload;
    const input: DeliveryInput = { deliveryId: message.subjectId, suffix: message.suffix ?? '' };
    const { deliveryId } = input;
    return {
      workflowId: id(deliveryId, input.suffix),
      input,
      attributes: { MerchantId: merchantId, Reference: endpointId },
      summary: `Webhook delivery to endpoint ${endpointId}`,
      details: [
        `${isResend(input) ? SENDS_ONCE : SENDS_WITH_RETRIES} Delivery \`${deliveryId}\`, endpoint \`${endpointId}\`.`,
        [
          link('Delivery', `${links.api}/webhook-deliveries/${deliveryId}`),
          link('Endpoint', `${links.api}/webhooks/${endpointId}`),
        ].join(' · '),
      ].join('\n\n'),
    };
  },
} as const satisfies WorkflowDescriptor;
