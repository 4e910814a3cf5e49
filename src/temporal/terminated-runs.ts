import type { Client } from '@temporalio/client';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import type { WorkflowRef } from '../platform/context.ts';
import { withLongDeadline } from './client.ts';

/** Per round; those that are left out are listed by the next one. */
const MAX_RUNS = 1_000;
/** The list of workflows is eventually consistent. */
const OVERLAP_MS = 5 * MINUTE_MS;

/** Reports runs of workflows of payouts and payout runs that were terminated in Temporal, each at least once. */
export const terminatedRuns = ({ client, note }: { client: Client; note(run: WorkflowRef): Promise<void> }) => {
  let sinceMs = Date.now() - DAY_MS;
  return async (): Promise<void> => {
    const startedMs = Date.now();
    const runs = await withLongDeadline(client, async () => {
      const since = new Date(sinceMs).toISOString();
      const query = `ExecutionStatus = "Terminated" and (WorkflowId STARTS_WITH "payout/" or WorkflowId STARTS_WITH "payout-run/") and CloseTime > "${since}"`;
      const found: WorkflowRef[] = [];
      for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: MAX_RUNS })) {
        if (found.push({ workflowId, runId }) === MAX_RUNS) break;
      }
      return found;
    });
    for (const run of runs) await note(run);
    if (runs.length < MAX_RUNS) sinceMs = startedMs - OVERLAP_MS;
  };
};
