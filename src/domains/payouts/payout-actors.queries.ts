import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { isUnapprovedBonus } from '../conversions/index.ts';
import { db } from '../tables.ts';
import type { Payout } from './payout.entity.ts';

/**
 * Who had a part in a payout besides its creator: drafted, edited or confirmed its run, or added money to it that nobody approved. Named
 * as by `actorName`.
 */
export const findOtherActors = async (ctx: Context, { id, payoutRunId }: Payout): Promise<string[]> => {
  const adjusted = await rows(
    ctx.em,
    db
      .selectFrom('payout_item as i')
      .innerJoin('commission_adjustment as d', 'd.id', 'i.subjectId')
      .select('d.createdBy')
      .distinct()
      .where('i.payoutId', '=', id)
      .where('i.kind', '=', sql.lit('adjustment'))
      .where(isUnapprovedBonus),
  );
  return [...(await findActorsOfRun(ctx, payoutRunId)), ...adjusted.flatMap(({ createdBy }) => createdBy ?? [])];
};

const findActorsOfRun = async (ctx: Context, runId: string | null | undefined): Promise<string[]> => {
  if (!runId) return [];
  const run = await firstRow(
    ctx.em,
    db.selectFrom('payout_run').select(['createdBy', 'editedBy', 'confirmedBy']).where('id', '=', runId),
  );
  return run ? [run.createdBy, ...run.editedBy, ...(run.confirmedBy ? [run.confirmedBy] : [])] : [];
};
