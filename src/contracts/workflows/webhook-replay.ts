import type { ReplayCancelReason, ReplayInput, ReplayProgress } from '../webhooks.ts';
import { BULK_PRIORITY_KEY, type StartMessage, type WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';
import { countOf, detailsOf, formatTime, link, type WorkflowLinks } from './text.ts';

const CANCEL_TEXTS: Readonly<Record<ReplayCancelReason, string>> = {
  requested: 'by request',
  endpoint_disabled: 'the endpoint was disabled. Once it is enabled, POST /webhooks/{id}/replay with the same `since` continues',
  endpoint_deleted: 'the endpoint was deleted',
};

const titleOf = ({ state, cancelReason, waitMs }: ReplayProgress): string => {
  if (state === 'completed') return '✓ **Completed**: all deliveries are queued, and are sent after all others';
  if (state === 'cancelled') return `**Cancelled**: ${CANCEL_TEXTS[cancelReason ?? 'requested']}`;
  return waitMs > 0 ? '⏳ **Waiting** for changes that are still being committed' : '⏳ **Running**';
};

/** The replay as an operator reads it. Markdown. */
export const describeReplay = (input: ReplayInput, progress: ReplayProgress): string =>
  detailsOf(titleOf(progress), [
    ['Events', `from ${formatTime(Date.parse(input.since))} to ${formatTime(Date.parse(input.until))}`],
    ['Examined', countOf(progress.eventsExamined, 'event')],
    ['Deliveries queued', String(progress.deliveriesQueued)],
    ['To cancel it', progress.state === 'running' ? `POST /webhook-replays/${input.replayId}/cancel` : null],
  ]);

const id = (replayId: string): string => `webhook-replay/${replayId}`;

export const webhookReplay = {
  type: 'webhookReplay',
  namespace: 'background',
  queues: [QUEUES.webhooks],
  id,
  restartedBy: 'reconciler',
  topics: { start: 'webhook.replay' },
  outboxPriority: 'webhooks',
  priorityKey: BULK_PRIORITY_KEY,
  start({ payload }: StartMessage<ReplayInput>, { links }: { links: WorkflowLinks }) {
    const { replayId, merchantId, endpointId, since, until } = payload;
    return {
      workflowId: id(replayId),
      input: payload,
      attributes: { MerchantId: merchantId, State: 'running' },
      summary: `Replay of events to webhook endpoint ${endpointId}`,
      details: [
        `Sends events of the past to one webhook endpoint again, after all others: those from ${since} to ${until}.`,
        [
          link('Replay', `${links.api}/webhook-replays/${replayId}`),
          link('Endpoint', `${links.api}/webhooks/${endpointId}`),
        ].join(' · '),
      ].join('\n\n'),
    };
  },
  initial: { state: 'running', cancelReason: null, eventsExamined: 0, deliveriesQueued: 0, waitMs: 0 },
} as const satisfies WorkflowDescriptor & { initial: ReplayProgress };
