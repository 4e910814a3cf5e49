import type { TemporalClient } from '../relay/temporal-client.ts';

/** How far a story is: a word of Temporal's, or `missing`. */
export type StoryStatus = string;

const AT_ONCE = 16;

/** Asks for each story by its id: the list of Temporal is always a little behind. */
export const findStories = async (
  client: TemporalClient['client'],
  ids: readonly string[],
): Promise<Map<string, StoryStatus>> => {
  const found = new Map<string, StoryStatus>();
  const queue = ids.values();
  const lane = async (): Promise<void> => {
    for (const id of queue) found.set(id, await statusOf(client, id));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return found;
};

const statusOf = async (client: TemporalClient['client'], id: string): Promise<StoryStatus> => {
  try {
    return (await client.workflow.getHandle(id).describe()).status.name;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'missing';
    throw error;
  }
};
