import { actorName, type Context } from '../../platform/context.ts';
import { set } from '../../platform/database/set.ts';
import { conflict } from '../../platform/errors.ts';
import { decideRun, type RunInput, type RunState } from './decide-run.rules.ts';
import type { PayoutRun } from './payout-run.entity.ts';
import { decideByOf } from './run-progress.queries.ts';

export const runStateOf = (ctx: Context, { status, createdAt, confirmedAt = null }: PayoutRun): RunState => {
  const decideBy = decideByOf(ctx, { status, createdAt, confirmedAt });
  return { status, isInTime: decideBy === null || decideBy > ctx.clock.now() };
};

/** Throws the 409 of a refusal. */
export const assertRunMay = (ctx: Context, run: PayoutRun, input: RunInput): void => {
  decideOn(ctx, run, input);
};

/**
 * Decides and writes: the only way in which the status of a run changes. Returns false when it stays. The caller holds the run's lock.
 * Throws the 409 of a refusal.
 */
export const performOnRun = (ctx: Context, run: PayoutRun, input: RunInput, by = actorName(ctx.actor)): boolean => {
  const next = decideOn(ctx, run, input);
  if (next === null) return false;
  const now = ctx.clock.now();
  const { status, createdBy, confirmedBy } = run;
  run.become(next, now);
  if (input.type === 'confirm') set(run, { confirmedBy: by, confirmedAt: now });
  if (input.type === 'approve') set(run, { approvedBy: by, approvedAt: now });
  if (input.type === 'expire') run.cancelReason = status === 'draft' ? 'draft_expired' : 'approval_expired';
  // The approver refuses it; whoever made it changes their mind.
  const isRefused = status === 'awaiting_approval' && by !== confirmedBy && by !== createdBy;
  if (input.type === 'cancel') run.cancelReason = isRefused && !input.isOrphaned ? 'approval_refused' : 'person';
  return true;
};

const decideOn = (ctx: Context, run: PayoutRun, input: RunInput): PayoutRun['status'] | null => {
  const decision = decideRun(runStateOf(ctx, run), input);
  if ('next' in decision) return decision.next;
  const details = decision.transition ?? { status: run.status };
  throw conflict(decision.refused, decision.message, { ...details });
};
