import type { WorkflowHandle } from '@temporalio/client';
import type { Client } from '../../src/temporal/client.ts';
import { unique } from './factories.ts';

/** "Start workflow like this one" of the Temporal UI: the same input and search attributes under an id of its own. */
export const startCopy = async (client: Client, workflowId: string): Promise<WorkflowHandle> => {
  const original = client.workflow.getHandle(workflowId);
  const started = (await original.fetchHistory()).events?.[0]?.workflowExecutionStartedEventAttributes;
  const args = (started?.input?.payloads ?? []).map(({ data }): unknown => JSON.parse(Buffer.from(data ?? []).toString('utf8')));
  const { taskQueue, typedSearchAttributes } = await original.describe();
  const options = { workflowId: `copy-${unique()}`, taskQueue, args, typedSearchAttributes };
  return client.workflow.start(started?.workflowType?.name ?? '', options);
};
