import type { Client } from '@temporalio/client';
import { QUEUES, WORKFLOW_IDS } from '../contracts/workflows.ts';
import { changeLaneCount, findLaneCount } from '../domains/webhooks/index.ts';
import type { Context } from '../platform/context.ts';
import { withDeadline } from '../relay/temporal-client.ts';

export interface WebhookLanesOptions {
  client: Client;
  queuePrefix: string;
  /** A new context. */
  context(): Context;
  /** The setting of a process that serves lanes; null in others. */
  lanes: number | null;
}

/**
 * Returns what starts the workflow of each lane that has none, also after one was terminated. The first call sets the number of
 * lanes: once, so that processes with different settings during an update do not contradict each other.
 */
export const webhookLanesEnsurer = ({ client, queuePrefix, context, lanes }: WebhookLanesOptions): (() => Promise<void>) => {
  let setting = lanes;
  return async () => {
    if (setting !== null) await changeLaneCount(context(), { lanes: setting });
    setting = null;
    const count = await findLaneCount(context());
    for (let lane = 0; lane < count; lane++) await ensureLane(client, queuePrefix, lane);
  };
};

const ensureLane = (client: Client, queuePrefix: string, lane: number): Promise<unknown> =>
  withDeadline(client, () =>
    client.workflow.start('webhookLane', {
      workflowId: queuePrefix + WORKFLOW_IDS.webhookLane(lane),
      taskQueue: queuePrefix + QUEUES.workflows,
      args: [{ lane }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `Webhooks, lane ${lane}`,
      staticDetails:
        'Sends the first attempt of each webhook. Started again when it is missing; ends when WEBHOOK_LANES is lowered.',
    }),
  );
