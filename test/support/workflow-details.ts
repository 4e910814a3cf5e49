import type { WorkflowHandle } from '@temporalio/client';

/** What the Temporal UI shows as the current details of a workflow. */
export const currentDetailsOf = async (handle: WorkflowHandle): Promise<string> => {
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
};
