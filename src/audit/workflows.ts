import { MINUTE_MS } from '../platform/clock.ts';
import { rows, sql } from '../platform/database/sql.ts';
import type { Clients } from '../temporal/client.ts';
import { listFailing } from '../temporal/failing-workflows.ts';
import { type Audit, type Check, type FindingRow, findingsOf, lateSince, MAX_FINDINGS } from './audit.ts';
import { listRunning, listWorkflowStatuses } from './temporal-queries.ts';
import { WORKFLOW_ROWS, type WorkflowRows } from './workflow-rows.ts';

/** I7: what is open has a workflow that can go on, and what is final has none. */
export const checkWorkflows: Check = async (audit) => [
  ...findingsOf('I7', await missingWorkflows(audit)),
  ...findingsOf('I7', await failingWorkflows(audit)),
  ...findingsOf('I7', audit.temporal ? await listNeedless({ ...audit, temporal: audit.temporal }) : []),
];

/**
 * What is open needs a running workflow, or an outbox row that starts one. Rows within the time limit are skipped: their workflow may not
 * have started yet.
 */
const missingWorkflows = async (audit: Audit): Promise<FindingRow[]> => {
  const { ctx, temporal, budgets, counts } = audit;
  if (!temporal) return [];
  const late = lateSince(audit, budgets.promptMs);
  const missing: FindingRow[] = [];
  for (const { type, rows: of } of WORKFLOW_ROWS) {
    const expected = await rows(
      ctx.em,
      sql<{ subject: string; id: string }>`select subject, id from (${of}) as work
        where is_open and since < ${late} and not is_queued`,
    );
    const statuses = await listWorkflowStatuses(
      temporal,
      expected.map(({ id }) => ({ type, id })),
    );
    counts['workflows'] = (counts['workflows'] ?? 0) + statuses.size;
    const lost = expected.filter(({ id }) => statuses.get(id) !== 'RUNNING');
    missing.push(...lost.map(({ subject, id }) => ({ subject, detail: `is open but its workflow is ${statuses.get(id)}` })));
  }
  return missing.slice(0, MAX_FINDINGS);
};

const failingWorkflows = async (audit: Audit): Promise<FindingRow[]> => {
  if (!audit.temporal) return [];
  const failing = await listFailing(audit.temporal, audit.queuePrefix ?? '');
  return failing.map(({ workflowId, attempts }) => ({
    subject: `workflow ${workflowId}`,
    detail: `cannot go on: its task failed ${attempts} times`,
  }));
};

/** A step of a process that died times out and is repeated before its workflow ends. */
const ENDING_MS = MINUTE_MS;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

type Compared = Pick<Audit, 'ctx' | 'budgets'> & { temporal: Clients };

/** Workflows of what ended long ago: each would be waiting for something that never comes. */
export const listNeedless = async (compared: Compared): Promise<FindingRow[]> => {
  const needless: FindingRow[] = [];
  for (const of of WORKFLOW_ROWS) needless.push(...(await needlessOf(compared, of)));
  return needless.slice(0, MAX_FINDINGS);
};

const needlessOf = async (compared: Compared, { type, rows: of, pauseMs }: WorkflowRows): Promise<FindingRow[]> => {
  const { ctx, temporal, budgets } = compared;
  const late = lateSince(compared, budgets.promptMs + ENDING_MS + pauseMs);
  const running = await listRunning(temporal, type, late);
  const ids = running.flatMap((id) => UUID.exec(id) ?? []);
  if (ids.length === 0) return [];
  return rows(
    ctx.em,
    sql<FindingRow>`select subject, status || ', but its workflow is still running' as detail from (${of}) as work
      where work.row = any(${ids}::uuid[]) and work.id = any(${running}) and not is_open and ended_at < ${late} limit ${MAX_FINDINGS}`,
  );
};
