import * as wf from '@temporalio/workflow';
import { QUEUES } from '../../src/contracts/workflows/queues.ts';
import { describeCopy } from '../../src/contracts/workflows/text.ts';
import { publish } from './publish.ts';

/** Started in the Temporal UI under an id of its own. */
export const isCopy = (workflowId: string): boolean => wf.workflowInfo().workflowId !== workflowId;

/** Like `isCopy`, for an id with the prefix of the installation, which a queue of another name does not tell. */
export const isPrefixedCopy = (workflowId: string): boolean => {
  const { taskQueue } = wf.workflowInfo();
  return taskQueue.endsWith(QUEUES.workflows) && isCopy(taskQueue.slice(0, -QUEUES.workflows.length) + workflowId);
};

/** Result of a copy, which does nothing. */
export interface Superseded {
  status: 'superseded';
}

/** Leaves the work to the workflow that it is a copy of. */
export const endAsCopy = (of: string, workflowId: string): Superseded => {
  wf.setCurrentDetails(describeCopy(of, workflowId, { workflows: null }));
  publish({ State: 'superseded', NeedsAttention: false });
  return { status: 'superseded' };
};
