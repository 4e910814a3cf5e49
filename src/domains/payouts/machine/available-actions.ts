import { PAYOUT_ACTIONS, type PayoutAction } from '../../../contracts/situations/payout.ts';
import { type Actor, type Context, findCaller } from '../../../platform/context.ts';
import { reasonOf } from '../../../platform/errors.ts';
import type { AvailableAction } from '../../../platform/http/available-actions.ts';
import { assertMayApprove } from '../approval/second-actors.queries.ts';
import { planPayouts } from '../create/plan-payouts.steps.ts';
import { findPaymentsHold } from '../holds/payments-hold.steps.ts';
import { findPayout, isRunPaused } from '../payout-state.queries.ts';
import { assertMayOverride } from '../use-cases/return-payout.ts';
import { isRefusal, stateAfter } from './change.ts';
import { decide } from './decide.ts';
import type { PersonInput } from './inputs.ts';
import { type LockedPayout, loadHold, loadRetry, loadState } from './load.ts';
import type { PayoutState } from './state.ts';

/** The ways in which each can be done: it is refused when all are. */
const inputsOf = (isPaused: boolean): Readonly<Record<PayoutAction, readonly PersonInput[]>> => ({
  approve: [{ type: 'approve' }],
  process: [{ type: 'process' }],
  read_instructions: [{ type: 'read_instructions', isRunPaused: isPaused }],
  complete: [{ type: 'complete', hasNote: true }],
  fail: [{ type: 'fail', hasNote: true }],
  cancel: [{ type: 'cancel' }],
  return: [
    { type: 'return', hasEvidence: false },
    { type: 'return', hasEvidence: true },
  ],
  resolve: [
    { type: 'resolve', outcome: 'paid' },
    { type: 'resolve', outcome: 'not_paid' },
  ],
  retry: [{ type: 'retry' }],
});

/** What the caller may do with a payout now, and why not the rest: by the machine, the caller's scopes and the rules of second actors. */
export const findAvailableActions = async (ctx: Context, payoutId: string): Promise<AvailableAction[]> => {
  if (!mayPay(ctx.actor)) return PAYOUT_ACTIONS.map((action) => ({ action, refusedBecause: 'INSUFFICIENT_SCOPE' }));
  const loaded = await loadState(ctx, await findPayout(ctx, payoutId));
  const { payout } = loaded;
  if (loaded.state.status === 'pending') await loadHold(ctx, loaded);
  if (loaded.state.status === 'failed') await loadRetry(ctx, loaded);
  const isPaused = loaded.state.status === 'processing' && (await isRunPaused(ctx, payout));
  const inputs = inputsOf(isPaused);
  const refusals = PAYOUT_ACTIONS.map((action) => ({ action, refusedBecause: refusalOf(loaded.state, inputs[action]) }));
  return Promise.all(
    refusals.map(async ({ action, refusedBecause }) => ({
      action,
      refusedBecause: refusedBecause ?? (await furtherRefusalOf(ctx, loaded, action)),
    })),
  );
};

/** Whether the caller holds the scope of what pays. Workflows and the operator do. */
export const mayPay = (actor: Actor): boolean => findCaller(actor)?.scopes.includes('payouts:write') ?? true;

const refusalOf = (state: PayoutState, inputs: readonly PersonInput[]): string | null => {
  let refusal: string | null = null;
  for (const input of inputs) {
    const decision = decide(state, input);
    if (isRefusal(decision)) refusal ??= decision.refused;
    // To begin a payment that must not be made ends the payout.
    else return input.type === 'process' && stateAfter(state, decision).status === 'failed' ? stoppedBy(state) : null;
  }
  return refusal;
};

const stoppedBy = ({ hold }: PayoutState): string | null => hold?.toUpperCase() ?? null;

/** What the machine does not decide. */
const furtherRefusalOf = async (
  ctx: Context,
  { payout, openReturn, state }: LockedPayout,
  action: PayoutAction,
): Promise<string | null> => {
  if (action === 'read_instructions') return (await findPaymentsHold(ctx)) === null ? null : 'PAYMENTS_HELD';
  if (action === 'approve') return reasonOf(() => assertMayApprove(ctx, payout));
  // Without evidence the same is reported already.
  if (action === 'return' && openReturn && state.confirmedBy === 'provider')
    return reasonOf(() => assertMayOverride(ctx, payout, openReturn.requestedBy));
  if (action !== 'retry') return null;
  const { merchantId, affiliateId, belowThreshold } = payout;
  const plan = { merchantId, affiliateIds: [affiliateId], belowThreshold, asOf: ctx.clock.now(), limit: 1 };
  const [payee] = await planPayouts(ctx, plan);
  if (!payee) return 'NOTHING_PAYABLE';
  return payee.reason ?? (payee.isAccountFailing ? 'RAIL_CANNOT_PAY' : null);
};
