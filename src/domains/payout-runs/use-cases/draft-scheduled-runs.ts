import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { AppError } from '../../../platform/errors.ts';
import { mayAct } from '../../auth/index.ts';
import { listDuePayoutTurns, type PayoutTurn, takePayoutTurn } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import type { PayoutRun } from '../payout-run.entity.ts';
import { signalRunWorkflow } from '../run-workflow.steps.ts';
import { draftRun } from './create-payout-run.ts';
import { confirmRun } from './payout-run.ts';

/** Programs of one call. */
const MAX_TURNS = 100;

/**
 * Drafts the runs of programs whose turn has come, each in a transaction of its own that also moves the turn: once for a period, whoever
 * calls. Returns how many turns were taken. One that fails is tried again by the next call.
 */
export const draftScheduledRuns = async (ctx: Context): Promise<number> => {
  let taken = 0;
  for (const programId of await listDuePayoutTurns(ctx, MAX_TURNS)) {
    const own = { ...ctx, em: ctx.em.fork() as Context['em'] };
    try {
      if (await takeTurn(own, programId)) taken++;
    } catch (err) {
      ctx.log.error({ err, programId }, 'a scheduled payout run cannot be drafted');
    }
  }
  return taken;
};

const takeTurn = (ctx: Context, programId: string): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const turn = await takePayoutTurn(ctx, programId);
    if (!turn) return false;
    const told = await draftTurn(ctx, turn);
    const { merchantId, period } = turn;
    if (told) await emitInternal(ctx, { type: 'payout_run.scheduled', merchantId, programId, period, ...told });
    return true;
  });

/** What the merchant is told; null when there is nothing to do. */
const draftTurn = async (ctx: Context, turn: PayoutTurn) => {
  const { programId, merchantId, period } = turn;
  const before = db.selectFrom('payout_run').select('id').where('programId', '=', programId).where('period', '=', period);
  if (await firstRow(ctx.em, before)) return null;
  // Refused before anything of the run is written.
  const drafted = await refusalOf(() => draftRun(ctx, { merchantId, programId, period, name: period }));
  if (drafted instanceof AppError) return toldOf(drafted);
  const { id: runId } = drafted;
  const { requireConfirmation, setBy } = turn;
  // Nobody's limits hold for a run that nobody let confirm itself.
  if (requireConfirmation || setBy === undefined) return { runId, outcome: 'waits_for_confirmation' } as const;
  if (!(await mayAct(ctx, { actor: setBy, merchantId, scope: 'payouts:write' })))
    return { runId, outcome: 'author_gone' } as const;
  const refused = await refusalOf(() => confirmRun(ctx, drafted, setBy));
  if (refused instanceof AppError) return { runId, outcome: 'over_limit' } as const;
  await recordConfirmation(ctx, drafted);
  return null;
};

const recordConfirmation = async (ctx: Context, run: PayoutRun): Promise<void> => {
  const { id: resourceId, merchantId: ownerId, total, items, status } = run;
  await recordChange(ctx, { ownerId, action: 'payout_run.confirmed', resourceId, after: { total, items, status } });
  await signalRunWorkflow(ctx, run);
};

/** The result, or the 409 that it was refused with. */
const refusalOf = async <T>(work: () => Promise<T>): Promise<T | AppError> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT') return error;
    throw error;
  }
};

/** Null when nobody has to do anything: in the next period there may be somebody to pay. */
const toldOf = ({ details }: AppError) => {
  if (details?.['reason'] === 'RUN_IN_PROGRESS') return { runId: String(details['runId']), outcome: 'run_in_progress' } as const;
  return details?.['reason'] === 'RUN_TOO_LARGE' ? ({ runId: null, outcome: 'too_large' } as const) : null;
};
