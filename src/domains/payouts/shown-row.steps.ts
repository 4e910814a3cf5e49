import type { Context, WorkflowRef } from '../../platform/context.ts';

/** A row that says which run of its workflow shows it, and whether that was terminated before it showed the end. */
export interface ShownRow {
  runId?: string | null;
  runLost: boolean;
}

/** The first run of the workflow that finds the row unfinished shows it; a later one asks first. */
export const showIn = ({ actor }: Context, row: ShownRow, workflowId: string): void => {
  if (row.runId || actor.kind !== 'system' || actor.run?.workflowId !== workflowId) return;
  row.runId = actor.run.runId;
  row.runLost = false;
};

/** Another run has to show the row, also if it ends before that one begins. */
export const markLost = (row: ShownRow, { runId }: WorkflowRef): void => {
  if ((row.runId ?? runId) === runId) row.runLost = true;
};
