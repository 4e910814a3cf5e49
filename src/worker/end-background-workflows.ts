import { WorkflowNotFoundError } from '@temporalio/client';
import pMap from 'p-map';
import { ALL_WORKFLOWS } from '../contracts/workflows/index.ts';
import { QUEUES } from '../contracts/workflows/queues.ts';
import { type Clients, withDeadline } from '../temporal/client.ts';
import { removeFormerSchedules } from './schedules.ts';

const CONCURRENCY = 8;
const PAGE_SIZE = 1_000;

/**
 * Ends what no worker serves in the namespace of finance: the background workflows and Schedules of this installation, from when it
 * had one namespace. What they knew is in Postgres, and the reconciler starts open work in the other namespace.
 */
export const endBackgroundWorkflows = async (
  clients: Clients,
  queuePrefix: string,
): Promise<{ schedules: string[]; ended: number }> => {
  const { finance } = clients;
  // First, so that they start no more.
  const schedules = await removeFormerSchedules(clients, { queuePrefix });
  const types = ALL_WORKFLOWS.filter(({ namespace }) => namespace === 'background').map(({ type }) => `"${type}"`);
  const query = `ExecutionStatus = "Running" and TaskQueue = "${queuePrefix}${QUEUES.workflows}" and WorkflowType in (${types.join(', ')})`;
  let ended = 0;
  await pMap(
    finance.workflow.list({ query, pageSize: PAGE_SIZE }),
    async ({ workflowId, runId }) => {
      const handle = finance.workflow.getHandle(workflowId, runId);
      try {
        await withDeadline(finance, () => handle.terminate('continues in the namespace of background work'));
        ended++;
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    { concurrency: CONCURRENCY },
  );
  return { schedules, ended };
};
