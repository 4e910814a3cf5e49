import type { Client } from '@temporalio/client';
import { LANES } from '../contracts/webhooks.ts';
import { QUEUES, WORKFLOW_IDS } from '../contracts/workflows.ts';
import { withDeadline } from '../relay/temporal-client.ts';

/** Starts the workflow of each lane that has none, also after one was terminated. The second call changes nothing. */
export const ensureWebhookLanes = async (client: Client, { queuePrefix }: { queuePrefix: string }): Promise<void> => {
  for (let lane = 0; lane < LANES; lane++) {
    await withDeadline(client, () =>
      client.workflow.start('webhookLane', {
        workflowId: queuePrefix + WORKFLOW_IDS.webhookLane(lane),
        taskQueue: queuePrefix + QUEUES.workflows,
        args: [{ lane }],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: `Webhooks, lane ${lane}`,
        staticDetails: 'Sends the first attempt of each webhook. Never ends; started again when it is missing.',
      }),
    );
  }
};
