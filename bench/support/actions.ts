import type { WorkflowHandle } from '@temporalio/client';
import { WORKFLOWS, type WorkflowType } from '../../src/contracts/workflows/index.ts';
import { type Clients, distinctClients } from '../../src/temporal/client.ts';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];

const millisecondsOf = ({ eventTime }: HistoryEvent): number =>
  Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000;

/** Billable actions that an event stands for, as Temporal Cloud counts them. The first attempt of an activity is its scheduling. */
const actionsOf = (event: HistoryEvent): number => {
  if (event.activityTaskStartedEventAttributes) return (event.activityTaskStartedEventAttributes.attempt ?? 1) - 1;
  return event.workflowExecutionStartedEventAttributes ||
    event.workflowExecutionSignaledEventAttributes ||
    event.activityTaskScheduledEventAttributes ||
    event.timerStartedEventAttributes ||
    event.upsertWorkflowSearchAttributesEventAttributes
    ? 1
    : 0;
};

/** Actions in histories by type of workflow, of events from then on. Heartbeats are in no history. */
export const countActions = async (clients: Clients, sinceMs: number): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  for (const client of distinctClients(clients)) {
    for await (const { type, workflowId, runId } of client.workflow.list()) {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const recent = (events ?? []).filter((event) => millisecondsOf(event) >= sinceMs);
      counts.set(
        type,
        recent.reduce((sum, event) => sum + actionsOf(event), counts.get(type) ?? 0),
      );
    }
  }
  return counts;
};

/** Mean size of the histories of a type of workflow that ended, in kB. */
export const historySizeOf = async (clients: Clients, type: WorkflowType): Promise<number> => {
  const sizes: number[] = [];
  const query = `WorkflowType = "${type}" and ExecutionStatus != "Running"`;
  for await (const { historySize } of clients[WORKFLOWS[type].namespace].workflow.list({ query })) sizes.push(historySize ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) / Math.max(sizes.length, 1) / 1_000;
};

/** Heartbeats that the worker reported to Temporal so far. */
export const readHeartbeats = async (metricsUrl: string): Promise<number> => {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('temporal_request_total{') && line.includes('RecordActivityTaskHeartbeat'));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};
