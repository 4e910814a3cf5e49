import { type Context, inTransaction } from '../../../platform/context.ts';
import { assertSecondActor } from '../../auth/index.ts';
import { findApprovalThreshold } from '../../merchants/index.ts';
import { findOtherActors } from '../approval/second-actors.queries.ts';
import { decideOn, perform } from '../machine/apply.ts';
import { lockOwnState } from '../machine/load.ts';
import { timeOfPayment } from '../manual/time-of-payment.steps.ts';
import type { Payout } from '../payout.entity.ts';

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
export const returnPayout = (ctx: Context, { id, note, bankReference, evidence, ...given }: ReturnPayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, id);
    const input = { type: 'return', hasEvidence: Boolean(evidence) } as const;
    decideOn(locked, input);
    const { payout, openReturn, state } = locked;
    const occurredAt = await timeOfPayment(ctx, payout, 'occurredAt', given.occurredAt);
    if (evidence && state.confirmedBy === 'provider') await assertMayOverride(ctx, payout, openReturn?.requestedBy);
    await perform(ctx, locked, input, { note, bankReference, evidence, occurredAt });
    return payout;
  });

/** Throws SAME_ACTOR for evidence of one actor where the merchant wants approvals. */
export const assertMayOverride = async (ctx: Context, payout: Payout, requestedBy: string | undefined): Promise<void> => {
  const { merchantId, createdBy, createdAt: madeAt, profileId } = payout;
  if (Object.keys(await findApprovalThreshold(ctx, merchantId)).length === 0) return;
  const others = [...(await findOtherActors(ctx, payout)), ...(requestedBy === undefined ? [] : [requestedBy])];
  await assertSecondActor(ctx, { createdBy, madeAt, others, profileIds: [profileId] });
};
