import { MINUTE_MS } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { type Clients, distinctClients, withLongDeadline } from './client.ts';

/** Others are found by the pass through all open work. */
const MAX_CLOSED = 100;
/** The list of workflows is eventually consistent, and what changed just before is left out by the caller. */
const OVERLAP_MS = MINUTE_MS;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/**
 * Returns what finds the subjects of workflows that closed since its last call. None where the server cannot list them: they are found
 * with all other open work.
 */
export const createClosedSubjects = (clients: Clients, queuePrefix: string) => {
  let sinceMs = Date.now();
  return async (log: Logger): Promise<string[]> => {
    const beganMs = Date.now();
    try {
      const found = await findClosedSubjects(clients, queuePrefix, sinceMs);
      sinceMs = beganMs;
      return found;
    } catch (err) {
      log.warn({ err }, 'recently closed workflows are not looked at first');
      return [];
    }
  };
};

/** Ids in the ids of workflows that closed since then, the last ones first, in another way than by completing. */
const findClosedSubjects = async (clients: Clients, queuePrefix: string, sinceMs: number): Promise<string[]> => {
  const ofQueues = queuePrefix === '' ? '' : ` and TaskQueue STARTS_WITH "${queuePrefix}"`;
  const since = new Date(sinceMs - OVERLAP_MS).toISOString();
  const query = `ExecutionStatus in ("Terminated", "TimedOut", "Canceled", "Failed") and CloseTime > "${since}"${ofQueues}`;
  const subjects = new Set<string>();
  for (const client of distinctClients(clients)) {
    await withLongDeadline(client, async () => {
      let listed = 0;
      for await (const { workflowId } of client.workflow.list({ query, pageSize: MAX_CLOSED })) {
        const [id] = UUID.exec(workflowId) ?? [];
        if (id) subjects.add(id);
        if (++listed === MAX_CLOSED) break;
      }
    });
  }
  return [...subjects];
};
