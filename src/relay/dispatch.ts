import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { WorkflowStart } from './routing.ts';
import { withDeadline } from './temporal-client.ts';

/** Carries out one outbox row; resolves when it is done for good, also when it was done before. */
export type Dispatch = (story: WorkflowStart) => Promise<void>;

/** Starts a story, or starts-and-signals it. A story that is over is not started again. */
export const createDispatch = (client: Client, queuePrefix = ''): Dispatch => {
  const optionsOf = (story: WorkflowStart) => ({
    workflowId: story.workflowId,
    taskQueue: queuePrefix + story.taskQueue,
    args: story.args,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    typedSearchAttributes: story.searchAttributes,
    staticSummary: story.summary,
    priority: { priorityKey: story.priorityKey, fairnessKey: story.fairnessKey },
  });
  return async (story) => {
    try {
      const { signal } = story;
      if (signal === undefined) await withDeadline(client, () => client.workflow.start(story.workflowType, optionsOf(story)));
      else await withDeadline(client, () => client.workflow.signalWithStart(story.workflowType, { ...optionsOf(story), signal }));
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
};
