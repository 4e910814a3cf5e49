import pMap from 'p-map';
import type { TemporalClient } from '../relay/temporal-client.ts';

/** Temporal's name of the status, or `missing`. */
export type WorkflowStatus = string;

const MAX_CONCURRENT = 16;

/** Describes each workflow by its id: the visibility list of Temporal is eventually consistent. */
export const listWorkflowStatuses = async (
  client: TemporalClient['client'],
  ids: readonly string[],
): Promise<Map<string, WorkflowStatus>> =>
  new Map(await pMap(ids, async (id) => [id, await statusOf(client, id)] as const, { concurrency: MAX_CONCURRENT }));

const statusOf = async (client: TemporalClient['client'], id: string): Promise<WorkflowStatus> => {
  try {
    return (await client.workflow.getHandle(id).describe()).status.name;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'missing';
    throw error;
  }
};
