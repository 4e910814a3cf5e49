import type { Client } from '@temporalio/client';
import { QUEUES } from '../contracts/workflows/queues.ts';
import { webhookLane } from '../contracts/workflows/webhook-lane.ts';
import { withDeadline } from '../relay/temporal-client.ts';
import type { Runtime } from '../runtime.ts';

export interface WebhookLanesOptions {
  runtime: Runtime;
  client: Client;
  queuePrefix: string;
  /** The setting of a process that serves lanes; null in others. */
  lanes: number | null;
}

/**
 * Returns what starts the workflow of each lane that has none, also after one was terminated. The first call sets the number of
 * lanes: once, so that processes with different settings during an update do not contradict each other.
 */
export const webhookLanesEnsurer = ({ runtime, client, queuePrefix, lanes }: WebhookLanesOptions): (() => Promise<void>) => {
  let setting = lanes;
  const context = () => runtime.context({ kind: 'system', name: 'webhookLanes' });
  return async () => {
    if (setting !== null) await runtime.changeLaneCount(context(), { lanes: setting });
    setting = null;
    const count = await runtime.findLaneCount(context());
    for (let lane = 0; lane < count; lane++) await ensureLane(client, queuePrefix, lane);
  };
};

const ensureLane = (client: Client, queuePrefix: string, lane: number): Promise<unknown> =>
  withDeadline(client, () =>
    client.workflow.start('webhookLane', {
      workflowId: queuePrefix + webhookLane.id(lane),
      taskQueue: queuePrefix + QUEUES.workflows,
      args: [{ lane }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `Webhooks, lane ${lane}`,
      staticDetails:
        'Sends the first attempt of each webhook. Started again when it is missing; ends when WEBHOOK_LANES is lowered.',
    }),
  );
