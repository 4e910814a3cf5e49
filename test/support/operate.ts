import type { WorkflowHandle } from '@temporalio/client';
import type { Client } from '../../src/temporal/client.ts';
import { startCopy } from './copies.ts';
import { unique } from './factories.ts';
import { until } from './until.ts';

/** What an operator may do to a workflow in the Temporal UI. */
export const OPERATIONS = ['terminated', 'cancelled', 'reset', 'copied'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Both are offered. */
export type ResetPoint = 'first task' | 'last task';

/** Returns the new run. */
export const resetWorkflow = async (client: Client, workflowId: string, to: ResetPoint = 'first task'): Promise<string> => {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const handle = client.workflow.getHandle(workflowId, runId);
  // A run that was started a moment ago has no task to go back to.
  const tasks = await until(
    'the run has completed a workflow task',
    async () => ((await handle.fetchHistory()).events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes),
    (completed) => completed.length > 0,
  );
  const task = tasks.at(to === 'first task' ? 0 : -1);
  const next = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'test',
    workflowTaskFinishEventId: task?.eventId ?? null,
    requestId: unique(),
  });
  return next.runId;
};

/** Returns the copy, if it made one. */
export const operate = async (client: Client, workflowId: string, operation: Operation): Promise<WorkflowHandle | null> => {
  const handle = client.workflow.getHandle(workflowId);
  if (operation === 'copied') return startCopy(client, workflowId);
  if (operation === 'terminated') await handle.terminate('by an operator');
  else if (operation === 'cancelled') await handle.cancel();
  else await resetWorkflow(client, workflowId);
  return null;
};
