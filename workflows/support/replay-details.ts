import type { ReplayCancelReason, ReplayInput, ReplayProgress } from '../../src/contracts/webhooks.ts';
import { countOf } from './count-of.ts';
import { formatTime } from './payout-details.ts';

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
export const describeReplay = (input: ReplayInput, progress: ReplayProgress): string => {
  const lines = [
    `- Events: from ${formatTime(Date.parse(input.since))} to ${formatTime(Date.parse(input.until))}`,
    `- Examined: ${countOf(progress.eventsExamined, 'event')}`,
    `- Deliveries queued: ${progress.deliveriesQueued}`,
    ...(progress.state === 'running' ? [`- To cancel it: POST /webhook-replays/${input.replayId}/cancel`] : []),
  ];
  return [titleOf(progress), lines.join('\n')].join('\n\n');
};
