import type { RunAction } from '../../contracts/situations/payout-run.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { notFound, reasonOf } from '../../platform/errors.ts';
import type { AvailableAction } from '../../platform/http/available-actions.ts';
import { mayPay } from '../payouts/index.ts';
import { runStateOf } from './change-run.steps.ts';
import { decideRun, type RunInput } from './decide-run.rules.ts';
import { assertAccountsCanPay } from './failing-accounts.queries.ts';
import { PayoutRun } from './payout-run.entity.ts';
import { assertMayApproveRun, findMadeByCaller } from './run-actors.queries.ts';

const INPUTS: readonly { action: RunAction; input: RunInput }[] = [
  { action: 'confirm', input: { type: 'confirm', needsApproval: false } },
  { action: 'approve', input: { type: 'approve' } },
  { action: 'pause', input: { type: 'pause' } },
  { action: 'resume', input: { type: 'resume' } },
  { action: 'cancel', input: { type: 'cancel' } },
];

/** What the caller may do with a run now, and why not the rest. To pause what is paused, or cancel what is cancelled, changes nothing. */
export const findRunActions = async (ctx: Context, id: string): Promise<AvailableAction[]> => {
  if (!mayPay(ctx.actor)) return INPUTS.map(({ action }) => ({ action, refusedBecause: 'INSUFFICIENT_SCOPE' }));
  const run = await ctx.em.findOne(PayoutRun, { id }, { refresh: true });
  if (!run) throw notFound('Payout run');
  const state = runStateOf(ctx, run);
  const actions: AvailableAction[] = [];
  for (const { action, input } of INPUTS) {
    const decision = decideRun(state, input);
    const refused = 'refused' in decision ? decision.refused : decision.next === null ? 'ILLEGAL_TRANSITION' : null;
    const further = refused === null && action === 'approve' ? await approvalRefusalOf(ctx, run) : null;
    const account = refused === null && action === 'confirm' ? await reasonOf(() => assertAccountsCanPay(ctx, run)) : null;
    actions.push({ action, refusedBecause: refused ?? further ?? account });
  }
  return actions;
};

/** Items that the caller made are left out by an approval, so it is refused when there are no others. */
const approvalRefusalOf = async (ctx: Context, run: PayoutRun): Promise<string | null> => {
  const made = await findMadeByCaller(ctx, run);
  const others = made.length > 0 && made.length >= run.items ? [actorName(ctx.actor)] : [];
  return reasonOf(() => assertMayApproveRun(ctx, run, others));
};
