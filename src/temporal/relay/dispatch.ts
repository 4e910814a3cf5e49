import { type Workflow, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { QUEUES } from '../../contracts/workflows/queues.ts';
import { type Clients, withDeadline } from '../client.ts';
import { type WorkflowStart, workflowIdOf } from './routing.ts';

/** Carries out one outbox row. Also resolves when the workflow was started before. */
export type Dispatch = (start: WorkflowStart) => Promise<void>;

/** Starts a workflow, or signals it with start. */
export const createDispatch = (clients: Clients, queuePrefix = ''): Dispatch => {
  const optionsOf = (start: WorkflowStart) => ({
    workflowId: workflowIdOf(start, queuePrefix),
    taskQueue: queuePrefix + QUEUES.workflows,
    args: start.args,
    workflowIdReusePolicy: start.reusePolicy,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    typedSearchAttributes: start.searchAttributes,
    staticSummary: start.summary,
    staticDetails: start.details,
    priority: { priorityKey: start.priorityKey, fairnessKey: start.fairnessKey },
  });
  return async (start) => {
    try {
      const { signal, signalArgs = [], workflowType, namespace } = start;
      const client = clients[namespace];
      if (signal === undefined) await withDeadline(client, () => client.workflow.start(workflowType, optionsOf(start)));
      else {
        const options = { ...optionsOf(start), signal, signalArgs };
        await withDeadline(client, () => client.workflow.signalWithStart<Workflow, object[]>(workflowType, options));
      }
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
};
