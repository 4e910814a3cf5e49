import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { assertSecondActor } from '../../auth/index.ts';
import { paymentText } from '../approval/approval.steps.ts';
import { findOtherActors } from '../approval/payout-actors.queries.ts';
import type { Payout } from '../payout.entity.ts';
import { lockOwnPayout } from '../payout-state.queries.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

/**
 * A second actor lets a payout be paid. Throws APPROVAL_NOT_REQUIRED when nobody has to, ALREADY_DECIDED when it was approved or has
 * ended, and SAME_ACTOR for whoever must not. Of an approval and a cancellation at once, the payout's lock lets one win.
 */
export const approvePayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    const { createdBy, createdAt: madeAt, profileId, status, approvedAt } = payout;
    if (!payout.approvalRequiredAt) throw conflict('APPROVAL_NOT_REQUIRED', 'Nobody has to approve this payout', { status });
    if (!payout.isAwaitingApproval())
      throw conflict('ALREADY_DECIDED', `The payout ${approvedAt ? 'was approved' : `is ${status}`} already`, {
        status,
        approvedAt: approvedAt?.toISOString() ?? null,
      });
    const others = await findOtherActors(ctx, payout);
    await assertSecondActor(ctx, { createdBy, madeAt, others, profileIds: [profileId] });
    payout.approve(actorName(ctx.actor), ctx.clock.now());
    await addTimelineEntry(ctx, payout, { type: 'approved', note: paymentText(ctx, payout) });
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });
