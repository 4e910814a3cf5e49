import type { LaneInput, LaneReport } from '../webhooks.ts';
import type { StartMessage, WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';
import { formatTime } from './text.ts';

/** Markdown. `report`: of the minute before `nowMs`. */
export const describeLane = (lane: number, report?: LaneReport & { nowMs: number }): string => {
  const title = `**Sends the first attempt of webhooks**, lane ${lane}. A failed attempt continues in a workflow of its own.`;
  if (!report) return title;
  const { succeeded, failed, nowMs } = report;
  return `${title}\n\nIn the minute before ${formatTime(nowMs)}: ${succeeded} succeeded, ${failed} failed.`;
};

const id = (lane: number): string => `webhook-lane/${lane}`;

export const webhookLane = {
  type: 'webhookLane',
  namespace: 'background',
  queues: [QUEUES.webhookLanes],
  id,
  isPrefixed: true,
  restartedBy: 'anyone',
  priorityKey: 3,
  start: ({ payload: { lane } }: StartMessage<LaneInput>) => ({
    workflowId: id(lane),
    input: { lane },
    attributes: {},
    summary: `Webhooks, lane ${lane}`,
    details: 'Sends the first attempt of each webhook. Started again when it is missing; ends when WEBHOOK_LANES is lowered.',
  }),
} as const satisfies WorkflowDescriptor;
