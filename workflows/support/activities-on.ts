import * as wf from '@temporalio/workflow';
import { QUEUES, type Queue } from '../../src/contracts/workflows.ts';

/**
 * Activities that run on a task queue of their own; call it inside a workflow. All workflows share the queue `workflows`, so
 * that a process needs one sandbox. On a queue of another name, activities are on the queue of the workflow.
 */
export const activitiesOn = <A>(queue: Queue, options: wf.ActivityOptions): wf.ActivityInterfaceFor<A> => {
  const own = wf.workflowInfo().taskQueue;
  if (!own.endsWith(QUEUES.workflows)) return wf.proxyActivities<A>(options);
  return wf.proxyActivities<A>({ ...options, taskQueue: own.slice(0, -QUEUES.workflows.length) + queue });
};
