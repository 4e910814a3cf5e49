import { isPaidByPerson } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { type AppError, conflict } from '../../../platform/errors.ts';
import { assertSecondActor } from '../../auth/index.ts';
import { findApprovalThreshold } from '../../merchants/index.ts';
import { findOtherActors } from '../approval/payout-actors.queries.ts';
import { addCorrection, bookReturn, findOpenReturn } from '../corrections.ts';
import { timeOfPayment } from '../manual-decision.ts';
import type { Payout } from '../payout.entity.ts';
import { findLatestAttempt, lockOwnPayout } from '../payout-state.queries.ts';
import { startCorrectionWorkflow } from '../payout-workflow.steps.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

export interface ReturnPayoutInput {
  id: string;
  note: string;
  occurredAt?: string | undefined;
  bankReference?: string | undefined;
  evidence?: string | undefined;
}

/**
 * A person knows that the money of a completed payout came back. Booked at once on a manual rail, or with evidence; otherwise a
 * workflow asks the provider first. Throws ILLEGAL_TRANSITION for a payout that is not completed, UNRESOLVED_PAYOUT during a
 * contradiction, RETURN_REPORTED when the same is on its way already, and SAME_ACTOR for evidence of one actor where the merchant wants
 * approvals: it makes money payable again that the provider says is paid.
 */
export const returnPayout = (ctx: Context, input: ReturnPayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    const attempt = await findLatestAttempt(ctx, payout.id);
    if (payout.status !== 'completed' || !attempt) throw notCompleted(payout);
    if (payout.reviewReason === 'contradiction')
      throw conflict('UNRESOLVED_PAYOUT', 'The payout was reported as paid and as failed; resolve it first', {
        payoutId: payout.id,
      });
    const isManual = isPaidByPerson(payout.rail);
    const occurredAt = await timeOfPayment(ctx, payout, 'occurredAt', input.occurredAt);
    const open = await findOpenReturn(ctx, attempt);
    if (open && (attempt.returnRequestedAt || !input.evidence))
      throw conflict('RETURN_REPORTED', 'This return is reported already', { since: open.requestedAt.toISOString() });
    if (input.evidence && !isManual) await assertMayOverride(ctx, payout, open?.requestedBy);
    const facts = { ...input, occurredAt, cause: 'reported_return', from: 'completed' } as const;
    const correction = open ?? (await addCorrection(ctx, payout, attempt, facts));
    if (open) open.addEvidence(facts);
    if (isManual || correction.evidence) await bookReturn(ctx, payout, attempt, correction);
    else await addTimelineEntry(ctx, payout, { type: 'return_reported', attempt: attempt.n, note: input.note });
    await startCorrectionWorkflow(ctx, payout, correction.n, open ? 'changed' : 'new');
    return payout;
  });

const assertMayOverride = async (ctx: Context, payout: Payout, requestedBy: string | undefined): Promise<void> => {
  const { merchantId, createdBy, createdAt: madeAt, profileId } = payout;
  if (Object.keys(await findApprovalThreshold(ctx, merchantId)).length === 0) return;
  const others = [...(await findOtherActors(ctx, payout)), ...(requestedBy === undefined ? [] : [requestedBy])];
  await assertSecondActor(ctx, { createdBy, madeAt, others, profileIds: [profileId] });
};

const notCompleted = ({ status }: Payout): AppError =>
  conflict('ILLEGAL_TRANSITION', `A ${status} payout cannot come back`, { from: status, to: 'failed' });
