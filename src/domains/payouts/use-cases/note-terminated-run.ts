import { type Context, inTransaction, type WorkflowRef } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { getCorrection } from '../corrections.steps.ts';
import { lockPayout } from '../machine/load.ts';
import { markLost } from '../shown-row.steps.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

const WORKFLOW_ID = /^payout\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/(correction|contradiction)\/([0-9]{1,9}))?$/;

/**
 * Notes a run that was terminated in Temporal on the payout's timeline, once. When it was to show the end of a payout or of a
 * correction, another run does that.
 */
export const noteTerminatedRun = async (ctx: Context, run: WorkflowRef): Promise<void> => {
  const [, payoutId, kind, n] = WORKFLOW_ID.exec(run.workflowId) ?? [];
  if (!payoutId || !(await isNew(ctx, payoutId, run))) return;
  await inTransaction({ ...ctx, actor: { kind: 'system', name: 'reconciler', run } }, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    if (!(await isNew(ctx, payoutId, run))) return;
    await addTimelineEntry(ctx, payout, { type: 'workflow_terminated' });
    if (kind === 'contradiction') return;
    markLost(kind ? await getCorrection(ctx, payoutId, Number(n)) : payout, run);
  });
};

/** False for a payout of another installation, too. */
const isNew = async (ctx: Context, payoutId: string, { runId }: WorkflowRef): Promise<boolean> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('payout')
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('payout_timeline')
            .select('id')
            .where('payoutId', '=', payoutId)
            .where('type', '=', 'workflow_terminated')
            .where('runId', '=', runId),
        ).as('isNoted'),
      )
      .where('id', '=', payoutId),
  );
  return found !== null && !found.isNoted;
};
