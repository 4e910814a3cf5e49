import type { LaneReport } from '../webhooks.ts';
import type { WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';
import { formatTime } from './text.ts';

/** Markdown. `report`: of the minute before `nowMs`. */
export const describeLane = (lane: number, report?: LaneReport & { nowMs: number }): string => {
  const title = `**Sends the first attempt of webhooks**, lane ${lane}. A failed attempt continues in a workflow of its own.`;
  if (!report) return title;
  const { succeeded, failed, nowMs } = report;
  return `${title}\n\nIn the minute before ${formatTime(nowMs)}: ${succeeded} succeeded, ${failed} failed.`;
};

export const webhookLane = {
  type: 'webhookLane',
  queues: [QUEUES.webhookLanes],
  id: (lane: number): string => `webhook-lane/${lane}`,
  isPrefixed: true,
  restartedBy: 'anyone',
} as const satisfies WorkflowDescriptor;
