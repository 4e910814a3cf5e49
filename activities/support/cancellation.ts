import { Context } from '@temporalio/activity';
import type { CancellationRequest } from '../../src/contracts/workflows/descriptor.ts';
import { SECOND_MS } from '../../src/platform/clock.ts';

const PAGE_SIZE = 100;
/** The request is among the newest events: it is what this activity follows. */
const MAX_PAGES = 5;
/** For all pages: well below the timeout of the activity. */
const DEADLINE_MS = 5 * SECOND_MS;
const MAX_NAME = 100;

/**
 * Who requested the cancellation of the activity's workflow, as the newest such event of its history says. Never throws: the end of the
 * workflow waits for the activity, and a credential may not be allowed to read histories.
 */
export const findCancellationRequest = async (): Promise<CancellationRequest> => {
  const unknown = { by: null, at: new Date().toISOString() };
  return (await readRequest(unknown.at).catch(() => null)) ?? unknown;
};

const readRequest = async (now: string): Promise<CancellationRequest | null> => {
  const { client, info } = Context.current();
  if (!info.workflowExecution) return null;
  const deadline = Date.now() + DEADLINE_MS;
  let nextPageToken: Uint8Array | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const request: Parameters<typeof client.workflowService.getWorkflowExecutionHistoryReverse>[0] = {
      namespace: info.workflowNamespace,
      execution: info.workflowExecution,
      maximumPageSize: PAGE_SIZE,
      nextPageToken,
    };
    const found = await client.connection.withDeadline(deadline, () =>
      client.workflowService.getWorkflowExecutionHistoryReverse(request),
    );
    for (const { eventTime, workflowExecutionCancelRequestedEventAttributes: requested } of found.history?.events ?? []) {
      if (!requested) continue;
      const by = requested.identity?.slice(0, MAX_NAME) || null;
      return { by, at: eventTime ? new Date(Number(eventTime.seconds ?? 0) * SECOND_MS).toISOString() : now };
    }
    nextPageToken = found.nextPageToken ?? null;
    if (!nextPageToken?.length) break;
  }
  return null;
};
