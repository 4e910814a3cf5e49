import type { TemporalClient } from '../relay/temporal-client.ts';

/** How far a story is: a word of Temporal's, or `missing`. */
export type WorkflowStatus = string;

const MAX_CONCURRENT = 16;

/** Asks for each story by its id: the list of Temporal is always a little behind. */
export const listWorkflowStatuses = async (
  client: TemporalClient['client'],
  ids: readonly string[],
): Promise<Map<string, WorkflowStatus>> => {
  const found = new Map<string, WorkflowStatus>();
  const queue = ids.values();
  const lane = async (): Promise<void> => {
    for (const id of queue) found.set(id, await statusOf(client, id));
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, lane));
  return found;
};

const statusOf = async (client: TemporalClient['client'], id: string): Promise<WorkflowStatus> => {
  try {
    return (await client.workflow.getHandle(id).describe()).status.name;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'missing';
    throw error;
  }
};
